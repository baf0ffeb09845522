import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { type AddressInfo, createServer } from 'node:net'
import * as path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import dynalite from 'dynalite'
import { buildApp } from 'fauxqs'

/** A running emulator, on loopback only. */
export type Emulator = { endpoint: string; stop(): Promise<void> }

/** What emulators take for credentials; they check none. */
export const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const
export const REGION = 'us-east-1'

const LOOPBACK = '127.0.0.1'
const STARTS_WITHIN_MS = 10_000

/** A port of loopback that was free a moment ago. */
export const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, LOOPBACK)
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

const require = createRequire(import.meta.url)

/** The dynoxide program, or undefined where none was built for this machine. */
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

/** DynamoDB by dynoxide: transactions, TTL, capacity figures. Throws where the program is missing. */
export const startDynoxide = async (port?: number): Promise<Emulator> => {
  const program = dynoxideProgram()
  if (program === undefined) throw new Error('dynoxide is not installed for this machine')
  const at = port ?? (await freePort())
  const child = spawn(program, ['serve', '--host', LOOPBACK, '--port', String(at)], { stdio: 'ignore' })
  const endpoint = `http://${LOOPBACK}:${at}`
  await answers(endpoint, child)
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const ended = once(child, 'exit')
    child.kill()
    await ended
  }
  return { endpoint, stop }
}

/** DynamoDB by dynalite: everywhere, but without transactions. */
export const startDynalite = async (port = 0): Promise<Emulator> => {
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0 }).listen(port, LOOPBACK)
  await once(server, 'listening')
  const { port: at } = server.address() as AddressInfo
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  return { endpoint: `http://${LOOPBACK}:${at}`, stop }
}

/** The better DynamoDB that this machine has. */
export const startDynamoDb = (port?: number): Promise<Emulator> =>
  hasDynoxide() ? startDynoxide(port) : startDynalite(port)

/** SQS and S3 by fauxqs, in memory. */
export const startSqsAndS3 = async (port = 0): Promise<Emulator> => {
  const app = buildApp({ logger: false, host: 'localhost', defaultRegion: REGION })
  await app.listen({ port, host: LOOPBACK })
  const { port: at } = app.server.address() as AddressInfo
  return { endpoint: `http://${LOOPBACK}:${at}`, stop: () => app.close() }
}
