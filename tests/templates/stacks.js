const { app, cdk, cluster, eks, env, iam, role } = require('./common');

// The cluster, in a stack of its own.
const platform = new cdk.Stack(app, 'Platform', { env });
const demo = cluster(platform, 'Demo', eks.AuthenticationMode.API, { clusterName: 'demo' });
const ops = new iam.Role(platform, 'Ops', { assumedBy: new iam.AccountRootPrincipal() });

// A team's stack: an entry for a role of the other stack, and one that needs a path.
const team = new cdk.Stack(app, 'Team', { env });
new eks.CfnAccessEntry(team, 'OpsEntry', {
  clusterName: demo.clusterName,
  principalArn: ops.roleArn,
  kubernetesGroups: ['system:masters'],
});

// A nested stack with an entry for the same role.
const nested = new cdk.NestedStack(team, 'Nested');
new eks.CfnAccessEntry(nested, 'Again', {
  clusterName: demo.clusterName,
  principalArn: ops.roleArn,
  kubernetesGroups: ['ops'],
});

// A stage, which has a folder of its own, for another region: its cluster is another one.
const stage = new cdk.Stage(app, 'Elsewhere', { env: { ...env, region: 'us-east-1' } });
const away = new cdk.Stack(stage, 'Away');
new eks.CfnAccessEntry(away, 'Entry', {
  clusterName: 'demo',
  principalArn: role('ops'),
  type: 'FARGATE_LINUX',
  kubernetesGroups: ['ops'],
});
app.synth();
