import type { ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { spawnBound } from './bound-process.ts'
import { onLoopback } from './loopback.ts'

/** A running emulator, on loopback only. */
export type Emulator = {
  endpoint: string
  stop(): Promise<void>
  /** Resolves if it ends without `stop`. */
  ended?: Promise<string>
}

export type Database = Emulator & { name: 'dynoxide' | 'dynalite' }

/** Credentials for emulators, which do not check them. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const
export const REGION = 'us-east-1'

const LOOPBACK = '127.0.0.1'
const STARTS_WITHIN_MS = 10_000

// Below the ports of outgoing connections (32768 and more on Linux), one of which could take the port before the emulator
// listens.
const FIRST_PORT = 15_000
const LAST_PORT = 32_000

/** A port of loopback that was free at the time of the call. */
export const freePort = async (): Promise<number> => {
  const port = randomInt(FIRST_PORT, LAST_PORT)
  const server = createServer().listen(port, LOOPBACK)
  const isFree = await once(server, 'listening').then(
    () => true,
    () => false,
  )
  if (!isFree) return freePort()
  await new Promise((resolve) => server.close(resolve))
  return port
}

// Emulators in this process are imported when they start: most test files need none.
const require = createRequire(import.meta.url)

/** The dynoxide program, or undefined where there is no build for this machine. */
const dynoxideProgram = (): string | undefined => {
  try {
    const folder = path.dirname(require.resolve(`@dynoxide/${process.platform}-${process.arch}/package.json`))
    return path.join(folder, 'dynoxide')
  } catch {
    return undefined
  }
}

export const hasDynoxide = (): boolean => dynoxideProgram() !== undefined

const answers = async (endpoint: string, child: ChildProcess): Promise<void> => {
  for (let waited = 0; waited < STARTS_WITHIN_MS; waited += 20) {
    if (child.exitCode !== null) throw new Error(`dynoxide ended with code ${child.exitCode}`)
    const answer = await fetch(endpoint, { method: 'POST' }).catch(() => undefined)
    if (answer) return void (await answer.arrayBuffer())
    await sleep(20)
  }
  throw new Error(`dynoxide did not answer within ${STARTS_WITHIN_MS} ms`)
}

/**
 * DynamoDB by dynoxide: transactions, TTL, capacity figures. It stores its data in `folder`, or in memory. Throws when
 * the program is missing.
 */
export const startDynoxide = async (folder?: string): Promise<Database> => {
  const program = dynoxideProgram()
  if (program === undefined) throw new Error('dynoxide is not installed for this machine')
  const port = await freePort()
  const file = folder === undefined ? [] : ['--db-path', path.join(folder, 'dynamodb.db')]
  const { child, stop } = spawnBound(program, ['serve', '--host', LOOPBACK, '--port', String(port), ...file])
  const ended = once(child, 'exit').then(() => 'dynoxide')
  const endpoint = `http://${LOOPBACK}:${port}`
  try {
    await answers(endpoint, child)
  } catch (thrown) {
    await stop()
    throw thrown
  }
  return { name: 'dynoxide', endpoint, stop, ended }
}

/** DynamoDB by dynalite: on all platforms, but without transactions. It stores its data in `folder`, or in memory. */
export const startDynalite = async (folder?: string): Promise<Database> => {
  const place = folder === undefined ? {} : { path: path.join(folder, 'dynamodb.level') }
  const { default: dynalite } = await import('dynalite')
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, ...place })
  const { url, stop } = await onLoopback(server)
  return { name: 'dynalite', endpoint: url, stop }
}

/** The best emulator of DynamoDB on this machine. */
export const startDynamoDb = (folder?: string): Promise<Database> =>
  hasDynoxide() ? startDynoxide(folder) : startDynalite(folder)

/** SQS and S3 by fauxqs. It stores files in `folder`, or in memory; messages are always in memory. */
export const startSqsAndS3 = async (folder?: string): Promise<Emulator> => {
  const [{ buildApp }, { FileS3Persistence }, { S3Store }, { SnsStore }, { SqsStore }] = await Promise.all([
    import('fauxqs'),
    import('../node_modules/fauxqs/dist/s3/fileS3Persistence.js'),
    import('../node_modules/fauxqs/dist/s3/s3Store.js'),
    import('../node_modules/fauxqs/dist/sns/snsStore.js'),
    import('../node_modules/fauxqs/dist/sqs/sqsStore.js'),
  ])
  const stores = { sqsStore: new SqsStore(), snsStore: new SnsStore(), s3Store: new S3Store() }
  if (folder !== undefined) {
    const files = new FileS3Persistence(path.join(folder, 's3'))
    files.loadS3(stores.s3Store)
    stores.s3Store.persistence = files
  }
  const app = buildApp({ logger: false, host: 'localhost', defaultRegion: REGION, stores })
  await app.listen({ port: 0, host: LOOPBACK })
  const { port } = app.server.address() as AddressInfo
  return { endpoint: `http://${LOOPBACK}:${port}`, stop: () => app.close() }
}
