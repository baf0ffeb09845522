import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { start } from './children.ts'
import { programPath } from './program.ts'

const SOCKET = 'redis.sock'

const settings = {
  // Not on the network at all: the Unix socket is the faster way (by 1 %), so the peer gets it.
  port: '0',
  unixsocket: SOCKET,
  appendonly: 'yes',
  appendfsync: 'everysec',
  save: '',
  // A rewrite of the log in the middle of a round would cost the peer a fork and the second core.
  'auto-aof-rewrite-percentage': '0',
  daemonize: 'no',
}

/** Starts Redis in `folder`. Its socket is named relative to that folder, as absolute paths may be too long for one. */
export const startRedis = async (folder: string): Promise<{ child: ChildProcess; socket: string }> => {
  const program = programPath('redis-server')
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])
  const child = start(program, args, { cwd: folder })
  for (let tries = 0; !existsSync(join(folder, SOCKET)); tries++) {
    if (child.exitCode !== null || tries > 500) throw new Error('redis-server did not start')
    await sleep(10)
  }
  return { child, socket: SOCKET }
}
