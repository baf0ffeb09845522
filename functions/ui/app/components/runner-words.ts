import type { Runner } from '../../../../lib/runners/schema.ts'
import type { Tone } from './tag.tsx'

export const runnerStates: Readonly<Record<Runner['status'], { label: string; tone: Tone }>> = {
  online: { label: 'Online', tone: 'good' },
  draining: { label: 'Draining', tone: 'warn' },
  offline: { label: 'Offline', tone: 'bad' },
  removed: { label: 'Removed', tone: 'plain' },
}

/** How the programs of a runner's agents are kept apart. */
export const isolations: Readonly<Record<Runner['isolation'], string>> = {
  bubblewrap: 'bubblewrap sandbox',
  users: 'a system user per workspace',
  none: 'no isolation',
}
