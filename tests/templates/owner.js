const { app, cdk, cluster, eks, env, iam, role } = require('./common');

const stack = new cdk.Stack(app, 'Owner', { env });
const masters = iam.Role.fromRoleArn(stack, 'Masters', role('platform-admin'), { mutable: false });
const demo = cluster(stack, 'Demo', eks.AuthenticationMode.CONFIG_MAP, { clusterName: 'demo', mastersRole: masters });
const pods = (id, name) =>
  new iam.Role(stack, id, { roleName: name, assumedBy: new iam.ServicePrincipal('eks-fargate-pods.amazonaws.com') });
demo.addFargateProfile('team-a', { selectors: [{ namespace: 'team-a' }], podExecutionRole: pods('PodsA', 'pods-a') });
demo.addFargateProfile('team-b', { selectors: [{ namespace: 'team-b' }], podExecutionRole: pods('PodsB', 'pods-b') });
demo.awsAuth.addRoleMapping(iam.Role.fromRoleArn(stack, 'Dev', role('dev')), { username: 'dev', groups: ['devs'] });
demo.awsAuth.addRoleMapping(new iam.Role(stack, 'Jobs', { assumedBy: new iam.AccountRootPrincipal() }), {
  username: 'jobs',
  groups: ['jobs'],
});
app.synth();
