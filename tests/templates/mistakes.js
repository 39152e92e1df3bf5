const { app, cdk, cluster, eks, env, iam, imported, role } = require('./common');

const stack = new cdk.Stack(app, 'Mistakes', { env });
const demo = imported(stack, 'demo');
const entry = (id, props) => new eks.CfnAccessEntry(stack, id, { clusterName: 'demo', ...props });
const admin = {
  accessScope: { type: 'cluster' },
  policyArn: 'arn:aws:eks::aws:cluster-access-policy/AmazonEKSClusterAdminPolicy',
};
entry('Policies', { principalArn: role('pods'), type: 'FARGATE_LINUX', accessPolicies: [admin] });
entry('ServiceLinked', {
  principalArn: role('aws-service-role/batch.amazonaws.com/AWSServiceRoleForBatch'),
  username: 'aws-batch',
});
entry('Once', { principalArn: role('twice'), kubernetesGroups: ['a'] });
entry('Twice', { principalArn: role('twice'), kubernetesGroups: ['b'] });

const untagged = new iam.Role(stack, 'Untagged', { assumedBy: new iam.ServicePrincipal('pods.eks.amazonaws.com') });
new eks.CfnPodIdentityAssociation(stack, 'Association', {
  clusterName: 'demo',
  namespace: 'shop',
  serviceAccount: 'orders',
  roleArn: untagged.roleArn,
});
const tagged = new iam.Role(stack, 'Tagged', {
  assumedBy: new iam.SessionTagsPrincipal(new iam.ServicePrincipal('pods.eks.amazonaws.com')),
});
new eks.CfnAddon(stack, 'Account', {
  clusterName: 'demo',
  addonName: 'amazon-cloudwatch-observability',
  podIdentityAssociations: [{ serviceAccount: 'amazon-cloudwatch', roleArn: tagged.roleArn }],
});
new eks.CfnAddon(stack, 'Irsa', {
  clusterName: 'demo',
  addonName: 'aws-ebs-csi-driver',
  serviceAccountRoleArn: tagged.roleArn,
});
demo.addManifest('Map', {
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name: 'aws-auth', namespace: 'kube-system' },
  data: { mapRoles: `- rolearn: ${tagged.roleArn}\n  groups: [g]\n` },
});

// A cluster of its own, with an association and no agent.
const alone = new cdk.Stack(app, 'Alone', { env });
const own = cluster(alone, 'Own', eks.AuthenticationMode.API);
new eks.CfnPodIdentityAssociation(alone, 'Association', {
  clusterName: own.clusterName,
  namespace: 'shop',
  serviceAccount: 'orders',
  roleArn: tagged.roleArn,
});
app.synth();
