const { app, cdk, cluster, eks, env, iam } = require('./common');

const stack = new cdk.Stack(app, 'Quant', { env });
const masters = new iam.Role(stack, 'eks-admin', { assumedBy: new iam.AccountRootPrincipal() });
const quant = cluster(stack, 'quant-eks', eks.AuthenticationMode.API_AND_CONFIG_MAP, { mastersRole: masters });
const account = new eks.ServiceAccount(stack, 'Account', {
  cluster: quant,
  name: 'ebs-csi-controller-sa',
  namespace: 'kube-system',
  identityType: eks.IdentityType.POD_IDENTITY,
});
account.role.addManagedPolicy(
  iam.ManagedPolicy.fromManagedPolicyArn(stack, 'Policy', 'arn:aws:iam::aws:policy/service-role/AmazonEBSCSIDriverPolicy'),
);
new eks.Addon(stack, 'Driver', {
  cluster: quant,
  addonName: 'aws-ebs-csi-driver',
  addonVersion: 'v1.35.0-eksbuild.1',
  preserveOnDelete: false,
});
app.synth();
