import type { Runner } from '../../../../lib/runners/schema.ts'
import type { Tone } from './tag.tsx'

const states: Readonly<Record<Runner['status'], { label: string; tone: Tone }>> = {
  online: { label: 'Online', tone: 'good' },
  draining: { label: 'Draining', tone: 'warn' },
  offline: { label: 'Offline', tone: 'bad' },
  removed: { label: 'Removed', tone: 'plain' },
}

type Reading = Pick<Runner, 'status' | 'drained'> & { running?: readonly string[] | undefined }

/** One that was drained on purpose says so, also when it is offline. */
export const runnerState = ({ status, drained, running = [] }: Reading): { label: string; tone: Tone } =>
  drained && status !== 'removed' && running.length === 0
    ? { label: 'Drained', tone: 'plain' }
    : states[status]

/** One that should take tasks and does not. */
export const isMissing = ({ status, drained }: Reading): boolean => status === 'offline' && !drained

/** `on 2 of 3 runners`, of the runners of an agent; `all` is undefined until it is known. */
export const runnersText = (taking: number, all = taking): string => {
  const most = Math.max(taking, all)
  return `on ${taking} of ${most} ${most === 1 ? 'runner' : 'runners'}`
}

/** How the programs of a runner's agents are kept apart. */
export const isolations: Readonly<Record<Runner['isolation'], string>> = {
  bubblewrap: 'bubblewrap sandbox',
  users: 'a system user per workspace',
  none: 'no isolation',
}
