const { app, cdk, eks, env, iam, imported, role } = require('./common');

const stack = new cdk.Stack(app, 'Second', { env });
const demo = imported(stack, 'demo');
// An imported cluster has no awsAuth of its own; the construct takes one all the same.
const auth = new eks.AwsAuth(stack, 'Auth', { cluster: demo });
auth.addRoleMapping(iam.Role.fromRoleArn(stack, 'TeamC', role('team-c')), { groups: ['team-c'] });
const pods = new iam.Role(stack, 'Pods', {
  roleName: 'pods-c',
  assumedBy: new iam.ServicePrincipal('eks-fargate-pods.amazonaws.com'),
});
new eks.CfnFargateProfile(stack, 'Profile', {
  clusterName: 'demo',
  podExecutionRoleArn: pods.roleArn,
  selectors: [{ namespace: 'team-c' }],
});
app.synth();
