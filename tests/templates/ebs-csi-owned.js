const { app, cdk, cluster, eks, env, iam } = require('./common');

const stack = new cdk.Stack(app, 'Quant', { env });
const masters = new iam.Role(stack, 'eks-admin', { assumedBy: new iam.AccountRootPrincipal() });
const quant = cluster(stack, 'quant-eks', eks.AuthenticationMode.API_AND_CONFIG_MAP, { mastersRole: masters });
const driver = new iam.Role(stack, 'DriverRole', { assumedBy: new iam.ServicePrincipal('pods.eks.amazonaws.com') });
// This makes a permission, and not trust; without a resource it would not even be synthesized.
driver.addToPolicy(new iam.PolicyStatement({ actions: ['sts:TagSession', 'sts:AssumeRole'], resources: ['*'] }));
new eks.CfnAddon(stack, 'Driver', {
  addonName: 'aws-ebs-csi-driver',
  addonVersion: 'v1.35.0-eksbuild.1',
  clusterName: quant.clusterName,
  preserveOnDelete: false,
  podIdentityAssociations: [{ roleArn: driver.roleArn, serviceAccount: 'ebs-csi-controller-sa' }],
});
app.synth();
