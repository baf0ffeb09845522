import { createLog } from '../lib/adapters/node/log.ts'
import { banner } from '../lib/app/banner.ts'
import { describeAgents } from '../lib/app/cloud-agents.ts'
import { type Config, isConfigured, PROVIDER_KINDS, readConfig } from '../lib/config.ts'
import { messageOf } from '../lib/core/errors.ts'
import { VERSION } from '../lib/version.ts'
import { startGateway } from './gateway.ts'
import { startJobs } from './jobs.ts'
import { startStack } from './stack.ts'

/** What was started, to be stopped in the opposite order. */
const started: { stop(): Promise<unknown> }[] = []
const stopAll = async () => {
  for (const one of started.reverse()) await one.stop()
}

/** The service as it runs in the cloud, on emulators: `npm run offline`. */
const main = async () => {
  const config = readConfig({ ...process.env, SERVICE_MODE: 'pro' })
  const log = createLog({ level: config.LOG_LEVEL })
  const agents = (await describeAgents(config)).map(({ type }) => type)
  const stack = await startStack(config)
  started.push(stack)
  started.push(await startJobs(stack, readConfig(), log))
  const gateway = await startGateway(config)
  started.push(gateway)
  const data = 'emulators of DynamoDB, SQS and S3, in memory'
  const facts = { ...modelOf(config), url: gateway.url, mode: 'pro', version: VERSION, agents, data }
  process.stdout.write(banner(facts))
}

let ending = false
const end = async (code: number) => {
  if (ending) return
  ending = true
  await stopAll().finally(() => process.exit(code))
}
process.on('SIGTERM', () => end(0))
process.on('SIGINT', () => end(0))

/** Which model answers, as the worker decides it. */
const modelOf = ({ providers, DEFAULT_PROVIDER }: Config) => {
  const kinds = PROVIDER_KINDS.filter((kind) => isConfigured(providers[kind]))
  const provider = DEFAULT_PROVIDER ?? kinds[0] ?? 'demo'
  const settings = provider === 'demo' ? undefined : providers[provider]
  return {
    providers: kinds.length === 0 ? [{ demo: true as const }] : [],
    model: { provider, model: settings?.model ?? 'its default model' },
  }
}

main().catch((thrown) => {
  process.stderr.write(`Cannot start: ${messageOf(thrown)}\n`)
  return end(1)
})
