import type { TaskRow } from '../tasks/schema.ts'
import type { Holds } from './service.ts'

type Needs = {
  holds: Holds
  /** The queued tasks that wait, by provider. May lag behind the tasks. */
  waiting: () => Promise<Readonly<Record<string, number>>>
  /** The status of a task; undefined when it is gone. */
  status: (taskId: string) => Promise<TaskRow['status'] | undefined>
  /** Lets queued tasks go on for which the function gives no time; resolves to the number of failures. */
  letGo: (heldUntil: (row: TaskRow) => Promise<string | undefined>) => Promise<number>
}

/**
 * Lets tasks go on that waited for holds which have ended, and one for each hold that is due. Call it by the clock: what a
 * process that died has left is continued, since it reads only what is stored.
 */
export const createRelease = ({ holds, waiting, status, letGo }: Needs) => {
  let released: number | undefined

  const probeState = async (taskId: string): Promise<'active' | 'completed' | 'over'> => {
    const now = await status(taskId)
    if (now === 'completed') return 'completed'
    return now === undefined || now === 'failed' || now === 'cancelled' ? 'over' : 'active'
  }

  const heldUntil = async ({ id, waiting: wait }: TaskRow): Promise<string | undefined> => {
    if (wait?.reason !== 'hold' || wait.provider === undefined) return undefined
    return (await holds.holdingBack([wait.provider], id))?.until
  }

  return async (): Promise<number> => {
    await holds.settleProbes(probeState)
    const counts = await waiting()
    await holds.removeUnused((provider) => (counts[provider] ?? 0) > 0)
    const providers = Object.keys(counts).filter((provider) => (counts[provider] ?? 0) > 0)
    const mayGoOn = (provider: string): boolean => {
      const hold = holds.known().find((one) => one.provider === provider)
      return hold === undefined || (holds.isDue(hold) && hold.probe === undefined)
    }
    if (providers.length === 0 || (released === holds.version() && !providers.some(mayGoOn))) return 0
    const left = await letGo(heldUntil)
    released = holds.version()
    return left
  }
}
