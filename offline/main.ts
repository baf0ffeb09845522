import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { createLog } from '../lib/adapters/node/log.ts'
import { describeAgents } from '../lib/app/cloud-agents.ts'
import { openCloudPorts } from '../lib/app/cloud-ports.ts'
import { banner, complain, refuseOpenHost, signInMethod } from '../lib/app/start-up.ts'
import { createAuthContext } from '../lib/composition/auth.ts'
import { type Config, readConfig } from '../lib/config/config.ts'
import { isConfigured, PROVIDER_KINDS } from '../lib/config/families.ts'
import { errorMessage, Problem } from '../lib/core/errors.ts'
import { createMasker } from '../lib/core/masker.ts'
import { VERSION } from '../lib/version.ts'
import { dataLine, openDataFolder } from './data-folder.ts'
import { startGateway } from './gateway.ts'
import { startJobs } from './jobs.ts'
import { startStack } from './stack.ts'

/** Throws the system's error when the port is not free, before anything else starts. */
const refuseTakenPort = async ({ HOST, PORT }: Config): Promise<void> => {
  if (PORT === 0) return
  const server = createServer().listen(PORT, HOST)
  await once(server, 'listening')
  await new Promise((resolve) => server.close(resolve))
}

const ENDS_WITHIN_MS = 9_500
const PARENTS_CHECK_MS = 500

type Part = { stop(): Promise<unknown>; ended?: Promise<string> | undefined }
/** The parts that accept work, and the parts that those need; stopped in this order, each group at once. */
const parts: Record<'outer' | 'inner', Part[]> = { outer: [], inner: [] }
const started = (kind: keyof typeof parts, part: Part) => {
  parts[kind].push(part)
  part.ended?.then((name) => end(1, `${name} has ended by itself`))
}

/** The service as it runs in the cloud, on emulators: `serverless offline`, alias `npm run offline`. */
const main = async () => {
  const config = readConfig({ ...process.env, SERVICE_MODE: 'pro' })
  const log = createLog({ level: config.LOG_LEVEL, masker: createMasker(config.secrets) })
  const agents = (await describeAgents(config)()).map(({ type }) => type)
  await refuseTakenPort(config)
  const { folder, release } = openDataFolder(config)
  process.once('exit', release)
  const stack = await startStack(config, folder)
  started('inner', stack)
  const furnished = readConfig()
  const ports = openCloudPorts(furnished)
  const auth = createAuthContext(ports, furnished)
  await auth.settings.refresh()
  refuseOpenHost(auth, furnished)
  started('outer', await startJobs(stack, furnished, log))
  const gateway = await startGateway(config, folder)
  started('outer', gateway)
  process.stdout.write(
    banner({
      ...answeringModel(config),
      signIn: await signInMethod(auth, ports.store),
      version: VERSION,
      url: gateway.url,
      publicUrl: config.PUBLIC_URL,
      mode: 'pro',
      agents,
      data: dataLine(folder, stack),
    }),
  )
}

/**
 * The parent and, on Linux, its parent: in `/proc/…/stat` the second field after the name, which ends with the last `)`.
 */
const parents = (): string => {
  const { ppid } = process
  try {
    return `${ppid} ${readFileSync(`/proc/${ppid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]}`
  } catch {
    return String(ppid)
  }
}

let ending = false
const end = async (code: number, why?: string) => {
  if (ending) return
  ending = true
  if (why !== undefined) complain(why)
  setTimeout(() => process.exit(1), ENDS_WITHIN_MS)
  try {
    for (const kind of ['outer', 'inner'] as const) await Promise.all(parts[kind].map((part) => part.stop()))
    process.exit(code)
  } catch (thrown) {
    complain(`The end was not orderly: ${errorMessage(thrown)}`)
    process.exit(1)
  }
}
process.on('SIGTERM', () => end(0))
process.on('SIGINT', () => end(0))
// npx starts a shell, which dies of a signal without passing it on, and survives when npx is killed. Without npx, the end
// of a parent means nothing.
if (process.env.npm_lifecycle_event === 'npx') {
  const first = parents()
  setInterval(() => {
    if (parents() !== first) end(0)
  }, PARENTS_CHECK_MS).unref()
}

/** The model that answers, by the worker's rules. */
const answeringModel = ({ providers, DEFAULT_PROVIDER }: Config) => {
  const kinds = PROVIDER_KINDS.filter((kind) => isConfigured(providers[kind]))
  const provider = DEFAULT_PROVIDER ?? kinds[0] ?? 'demo'
  const settings = provider === 'demo' ? undefined : providers[provider]
  return {
    providers: kinds.length === 0 ? [{ demo: true as const }] : [],
    model: { provider, model: settings?.model ?? 'its default model' },
  }
}

/** One line for errors of third-party modules; the output of a failed serverless-offline stays whole. */
const failureText = (thrown: unknown): string => {
  const { code, port } = thrown as { code?: string; port?: number }
  if (code === 'EADDRINUSE')
    return `Cannot start: port ${port} is in use. Stop what listens there, or set PORT.`
  return `Cannot start: ${thrown instanceof Problem ? thrown.message : errorMessage(thrown)}`
}

main().catch((thrown) => end(1, failureText(thrown)))
