const { app, cdk, cluster, eks, env, iam } = require('./common');

const stack = new cdk.Stack(app, 'Quant', { env });
const masters = new iam.Role(stack, 'eks-admin', { assumedBy: new iam.AccountRootPrincipal() });
const quant = cluster(stack, 'quant-eks', eks.AuthenticationMode.API_AND_CONFIG_MAP, { mastersRole: masters });
const driver = new iam.Role(stack, 'DriverRole', {
  assumedBy: new iam.SessionTagsPrincipal(new iam.ServicePrincipal('pods.eks.amazonaws.com')),
});
const addon = new eks.CfnAddon(stack, 'Driver', {
  addonName: 'aws-ebs-csi-driver',
  clusterName: quant.clusterName,
  podIdentityAssociations: [{ roleArn: driver.roleArn, serviceAccount: 'ebs-csi-controller-sa' }],
});
addon.node.addDependency(quant.eksPodIdentityAgent);
app.synth();
