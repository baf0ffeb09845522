import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ownFolder } from '../../lib/adapters/node/sandbox.ts'
import type { Workspace } from '../../lib/ports/workspace.ts'
import { createWorkbench, never } from '../fakes/workbench.ts'
import { type Case, cases, limits, type Means, type Place } from './cases.ts'

export const CANARY = 'canary-c0ffee'

// Every attempt stops itself after a while, should nothing else.
const preamble = (place: Place) => `
const fs = require('node:fs')
const { spawn, spawnSync } = require('node:child_process')
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))
const connects = (where) => new Promise((resolve) => {
  const socket = require('node:net').connect({ host: '127.0.0.1', ...where }, () => resolve(true))
  socket.on('error', () => resolve(false))
})
const beat = "const fs = require('node:fs'); process.on('SIGTERM', () => 0); setTimeout(() => process.exit(), 20_000);" +
  "setInterval(() => fs.existsSync('stop') ? process.exit() : fs.appendFileSync('beat', 'x'), 20)"
const leave = () => spawn(process.execPath, ['--eval', beat], { detached: true, stdio: 'ignore' }).unref()
const place = ${JSON.stringify(place)}
`

const attemptScript = ({ attempt }: Case, place: Place) => `${preamble(place)}
const attempt = async () => { ${attempt} }
attempt().catch((thrown) => thrown.message === 'perl is missing').then((could) => { console.log(could ? 'yes' : 'no'); process.exit() })
`

const isBeating = async ({ root }: Workspace): Promise<boolean> => {
  const size = async () => (await stat(join(root, 'beat')).catch(() => ({ size: 0 }))).size
  const before = await size()
  await sleep(400)
  const isAlive = (await size()) > before
  await writeFile(join(root, 'stop'), '')
  return isAlive
}

/** What stands for the service and its machine: folders, a process, sockets. */
const openPlace = async (folder: string, other: string): Promise<Place & AsyncDisposable> => {
  const [data, home, run] = ['data', 'home', 'run'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ]
  // Folders are open to other users as those of a system are: the one of the data and `.ssh` are not.
  await chmod(folder, 0o755)
  await mkdir(run)
  await mkdir(home)
  await mkdir(join(home, '.ssh'), { mode: 0o700 })
  await mkdir(data, { mode: 0o700 })
  const files = [join(data, 'service.db'), join(data, 'encryption.key'), join(home, '.ssh', 'id_ed25519')]
  for (const file of files) await writeFile(file, 'secret')
  await writeFile(join(other, 'notes.txt'), 'of another task')
  const shared = join(folder, 'shared')
  await writeFile(shared, 'of another task')
  const socket = join(run, 'machine.sock')
  const abstractSocket = `attempts-${process.pid}`
  const servers = [0, socket, `\0${abstractSocket}`].map((where) => createServer().listen(where as number))
  await Promise.all(servers.map((server) => once(server, 'listening')))
  await chmod(socket, 0o666)
  const [{ port = 0 } = {}] = servers.map((server) => server.address() as { port?: number })
  return {
    data,
    home,
    other,
    shared,
    pid: process.pid,
    port,
    socket,
    abstractSocket,
    canary: CANARY,
    code: ownFolder,
    [Symbol.asyncDispose]: async () => void servers.map((server) => server.close()),
  }
}

/** `first` of the users, which two services do not share. */
const isolation = (means: string, first: number) => ({
  sandboxed: means === 'sandbox',
  ...(means === 'users' && { uids: { first, last: first + 9 } }),
})

/** Whether programs of agents can do each of the cases, as the user that this process runs as. */
export const attemptAll = async (means: Means): Promise<Record<string, string>> => {
  const folder = await mkdtemp(join(tmpdir(), 'attempts-'))
  await using bench = await createWorkbench({ ...isolation(means, 60_800), limits })
  if (means !== 'none' && 'cause' in bench.found) throw new Error(bench.found.cause)
  const other = await bench.workspaces.create('other')
  await using place = await openPlace(folder, other.root)
  const answers: Record<string, string> = {}
  const workspace = await bench.workspaces.create('attempts')
  for (const one of cases) {
    const script = attemptScript(one, place)
    await rm(join(workspace.root, 'stop'), { force: true })
    if (one.killed) answers[one.title] = await survivesKill(means, script)
    else {
      const { stdout } = await workspace.run('node', ['--eval', script], never)
      answers[one.title] = one.lives ? ((await isBeating(workspace)) ? 'yes' : 'no') : stdout.trim() || 'no'
    }
  }
  // With it goes what its user has left in /tmp.
  await bench.workspaces.remove('attempts')
  await rm(folder, { recursive: true, force: true })
  return answers
}

/** Runs the script in a process of its own, as the service would, and kills that once something beats. */
const survivesKill = async (means: Means, script: string): Promise<string> => {
  const starter = spawn(process.execPath, [fileURLToPath(import.meta.url), means, script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [root = ''] = (await once(createInterface({ input: starter.stdout }), 'line')) as string[]
  const workspace = { root } as Workspace
  while ((await readFile(join(root, 'beat'), 'utf8').catch(() => '')) === '') await sleep(20)
  starter.kill('SIGKILL')
  await once(starter, 'exit')
  await sleep(500)
  const survives = (await isBeating(workspace)) ? 'yes' : 'no'
  await rm(dirname(dirname(dirname(root))), { recursive: true, force: true, maxRetries: 5 })
  return survives
}

if (import.meta.main) {
  const [means = '', script = ''] = process.argv.slice(2)
  const bench = await createWorkbench(isolation(means, 60_900))
  if (means !== 'none' && 'cause' in bench.found) throw new Error(bench.found.cause)
  const workspace = await bench.workspaces.create('killed')
  process.stdout.write(`${workspace.root}\n`)
  await workspace.run('node', ['--eval', script], never)
}
