import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'

const PAUSE_MS = 5
/** A process that waits for a disk ends when that answers. */
const LONGEST_MS = 10_000

/** The real, effective, saved and file system uid of a process; empty for one that has ended. */
export const processUids = (pid: number | string): number[] => {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    // A zombie has no code that runs; its parent may never ask for its end.
    if (/^State:\s+[ZX]/m.test(status)) return []
    return (/^Uid:\s+(.*)$/m.exec(status)?.[1] ?? '').split(/\s+/).map(Number)
  } catch {
    return []
  }
}

type IsUid = (uid: number) => boolean

const processesOf = (isOf: IsUid): { pid: number; uid: number }[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const uid = processUids(name).find(isOf)
      return uid === undefined ? [] : [{ pid: Number(name), uid }]
    })

/** Runs a program of the system as a user, with nothing of the service; its outcome does not matter. */
export const runAs = async (uid: number, file: string, args: readonly string[]): Promise<void> => {
  const env = { PATH: '/usr/bin:/bin' }
  const child = spawn(file, args, { uid, gid: uid, cwd: '/', env, stdio: 'ignore' })
  await once(child, 'exit').catch(() => undefined)
}

const endByPid = (pid: number) => {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended meanwhile.
  }
}

/** The system signals all processes of a user at once, so that none can escape by a fork. */
const endUser = (uid: number) => runAs(uid, '/bin/sh', ['-c', 'kill -s KILL -- -1'])

/**
 * Ends all processes of the given users, in any process group and session and with any parent; of `known` users also those that
 * no look at /proc sees, since each forks and ends before it is read. Resolves to whether none is left. Only another process of
 * a user can end the one that asks for the end of all, so each is ended by its id as well.
 */
export const endProcesses = async (isOf: IsUid, known: readonly number[] = []): Promise<boolean> => {
  const until = performance.now() + LONGEST_MS
  await Promise.all(known.map(endUser))
  for (;;) {
    const found = processesOf(isOf)
    if (found.length === 0) return true
    if (performance.now() > until) return false
    const uids = [...new Set(found.map(({ uid }) => uid))]
    await Promise.all(uids.map(endUser))
    for (const { pid } of processesOf(isOf)) endByPid(pid)
    await sleep(PAUSE_MS)
  }
}
