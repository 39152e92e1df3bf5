// What all programs share. Assets are not copied: only templates matter here.
const cdk = require('aws-cdk-lib');
const eks = require('aws-cdk-lib/aws-eks');
const iam = require('aws-cdk-lib/aws-iam');
const lambda = require('aws-cdk-lib/aws-lambda');

const env = { account: '111122223333', region: 'eu-west-1' };
const app = new cdk.App({ context: { 'aws:cdk:disable-asset-staging': true }, analyticsReporting: false });
const role = (name) => `arn:aws:iam::111122223333:role/${name}`;
const layer = (scope) =>
  lambda.LayerVersion.fromLayerVersionArn(scope, 'Kubectl', 'arn:aws:lambda:eu-west-1:111122223333:layer:kubectl:1');

/** A cluster of this app. */
const cluster = (stack, id, mode, more = {}) =>
  new eks.Cluster(stack, id, {
    version: eks.KubernetesVersion.V1_32,
    kubectlLayer: layer(stack),
    authenticationMode: mode,
    defaultCapacity: 0,
    ...more,
  });

/** A cluster that another app made. */
const imported = (stack, name) =>
  eks.Cluster.fromClusterAttributes(stack, 'Imported', {
    clusterName: name,
    kubectlRoleArn: role('kubectl'),
    kubectlLayer: layer(stack),
  });

module.exports = { app, cdk, cluster, eks, env, iam, imported, lambda, role };
