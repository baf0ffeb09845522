import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import * as path from 'node:path'
import { nodeFlags } from './service-process.js'

/**
 * After `npm ci`: starts the service once with an empty folder, and stops it, so that Node's compiled TypeScript is
 * cached before the first real start.
 */
const root = path.join(import.meta.dirname, '..')
const MOST_MS = 60_000

const folder = mkdtempSync(path.join(tmpdir(), 'warm-'))
try {
  const service = spawn(process.execPath, [...nodeFlags(), 'bin/start.js'], {
    cwd: root,
    env: {
      PATH: process.env.PATH,
      PORT: '0',
      DATA_DIR: path.join(folder, 'data'),
      WORKSPACES_DIR: path.join(folder, 'workspaces'),
      MEMORY_DIR: path.join(folder, 'memory'),
    },
    stdio: ['ignore', 'pipe', 'inherit'],
    timeout: MOST_MS,
  })
  // The banner has the address and comes last: before it, the service may not handle signals.
  let said = ''
  service.stdout.setEncoding('utf8').on('data', (text) => {
    said += text
    if (said.includes('http://')) service.kill('SIGTERM')
  })
  const [code] = await once(service, 'close')
  if (code !== 0) console.error(`The service could not be started in advance (${code}): npm start says why`)
} finally {
  rmSync(folder, { recursive: true, force: true })
}
