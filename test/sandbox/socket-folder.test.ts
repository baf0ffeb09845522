import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { expect, it } from '@jest/globals'
import { listenInFolder, removeLeftSockets } from '../../lib/adapters/node/socket-folder.ts'

const module = path.resolve(import.meta.dirname, '../../lib/adapters/node/socket-folder.ts')
const LISTEN = `
const { listenInFolder } = await import(${JSON.stringify(module)})
const { createServer } = await import('node:net')
process.send((await listenInFolder(createServer())).path)`

it('The folder of a socket goes with its server, or at the next start where its process was killed', async () => {
  const child = spawn(process.execPath, ['--input-type=module', '--eval', LISTEN], {
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [left] = (await once(child, 'message')) as [string]
  const server = createServer()
  const { path: own, remove } = await listenInFolder(server)
  // Killed, or about to listen: its folder has no socket yet.
  const early = [child.pid, process.pid].map((pid) =>
    mkdtempSync(path.join(tmpdir(), `agent-socket-${pid}-`)),
  )
  child.kill('SIGKILL')
  await once(child, 'exit')

  await removeLeftSockets()
  const folders = [path.dirname(left), path.dirname(own), ...early]
  expect(folders.map((folder) => existsSync(folder))).toEqual([false, true, false, true])
  server.close()
  await remove()
  expect(existsSync(path.dirname(own))).toBe(false)
  for (const folder of early) rmSync(folder, { recursive: true, force: true })
})
