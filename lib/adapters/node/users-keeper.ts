import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'

type UidRange = { first: number; last: number }

/**
 * Waits for the end of its input, which is that of the service, and ends all processes of the users. One look does not see a
 * process whose parent forked it and ended in between; so there are three that find none.
 */
const KEEPER = `
read -r _
empty=0
while [ "$empty" -lt 3 ]; do
  empty=$((empty + 1))
  for folder in /proc/[0-9]*; do
    while read -r name first rest; do
      case "$name $first" in
        "State: Z") break ;;
        Uid:*)
          [ "$first" -ge "$1" ] && [ "$first" -le "$2" ] && empty=0 && kill -s KILL "\${folder#/proc/}"
          break ;;
      esac
    done < "$folder/status"
  done
done`

const NAME = 'agent-users-keeper'
const wordsFor = ({ first, last }: UidRange) => ['-c', KEEPER, NAME, String(first), String(last)]

/** Starts a process that outlives the service, also after kill -9, and ends what is left of its programs. */
export const startKeeper = (uids: UidRange): (() => Promise<void>) => {
  const keeper = spawn('/bin/sh', wordsFor(uids), {
    ...{ detached: true, cwd: '/', env: { PATH: '/usr/bin:/bin' } },
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  keeper.unref()
  // Another one than the service may end it.
  keeper.stdin.on('error', () => undefined)
  const ended = once(keeper, 'exit').catch(() => undefined)
  return async () => {
    keeper.ref()
    keeper.stdin.end()
    await ended
  }
}

/** Ends those of a service that was killed: they would end the programs of the next one. */
export const endLeftKeepers = async (uids: UidRange): Promise<void> => {
  const wanted = wordsFor(uids).join('\0')
  const endIfLeft = async (pid: string) => {
    const cmdline = await readFile(`/proc/${pid}/cmdline`, 'utf8')
    const [, ...words] = cmdline.replace(/\0$/, '').split('\0')
    if (words.join('\0') === wanted) process.kill(Number(pid), 'SIGKILL')
  }
  const names = await readdir('/proc')
  await Promise.allSettled(names.filter((name) => /^\d+$/.test(name)).map(endIfLeft))
}
