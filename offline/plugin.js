import process from 'node:process'

/**
 * A plugin for `serverless offline`: what CloudFormation would fill in, the emulators' names and addresses do. Without
 * them (package, deploy) it does nothing.
 */
export default class OfflineStack {
  constructor(serverless) {
    this.hooks = { 'before:offline:start:init': () => fillIn(serverless.service) }
  }
}

const fillIn = ({ provider, functions }) => {
  if (process.env.DYNAMODB_ENDPOINT === undefined) return
  const given = Object.entries(process.env).filter(([name]) => /^[A-Z][A-Z0-9_]*$/.test(name))
  provider.environment = { ...provider.environment, ...Object.fromEntries(given) }
  for (const one of Object.values(functions))
    for (const name of Object.keys(one.environment ?? {}))
      if (process.env[name] !== undefined) one.environment[name] = process.env[name]
}
