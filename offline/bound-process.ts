import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'

/**
 * A shell that becomes the program, under the same process id, and leaves a child that waits for the end of a pipe: the
 * kernel closes the pipe however this process dies.
 */
const BOUND = 'exec 3<&0; (read -r _ <&3; kill -9 $$) & exec "$0" "$@" 3<&- </dev/null'

/**
 * Runs a program that ends with this process, even after a `kill -9`, which no handler sees. It has its own process
 * group: Ctrl-C reaches this process only, which ends the program in order.
 */
export const spawnBound = (program: string, args: readonly string[]) => {
  const child: ChildProcess = spawn('/bin/sh', ['-c', BOUND, program, ...args], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  // The waiting child ends at once, before another process gets this id.
  const ended = once(child, 'exit').then(() => child.stdin?.end())
  child.stdin?.on('error', () => undefined)
  const stop = async (): Promise<void> => {
    child.kill()
    await ended
  }
  return { child, stop }
}
