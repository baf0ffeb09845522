import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * A shell that becomes the program, under the same process id, and leaves one behind that waits for the end of our end
 * of the pipe: the kernel closes that however we die.
 */
const BOUND = 'exec 3<&0; (read -r _ <&3; kill -9 $$) & exec "$0" "$@" 3<&- </dev/null'

/**
 * Runs a program that lives no longer than this process, which no signal reports a `kill -9` of. It is in a group of its
 * own: Ctrl-C reaches this process only, which ends it when its turn has come.
 */
export const spawnBound = (program: string, args: readonly string[]) => {
  const child: ChildProcess = spawn('/bin/sh', ['-c', BOUND, program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // The one left behind goes at once, before another process gets this id.
  const ended = once(child, 'exit').then(() => child.stdin?.end())
  child.stdin?.on('error', () => undefined)
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
  }
  return { child, stop }
}
