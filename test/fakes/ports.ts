import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Ports } from '../../lib/domains.ts'
import { peoplePorts } from './people.ts'

type Fakes = Pick<Ports, 'clock' | 'ids' | 'log'>

/** The ports of one process beside its storage, its queues in memory and its agents; no wait is drawn by lot. */
export const processPorts = ({ clock, ids, log }: Fakes) => ({
  ...{ clock, ids, log },
  masker: createMasker([]),
  breakers: createBreakers({ clock, isFault: () => true }),
  random: () => 0,
  ...peoplePorts(),
  queueMode: 'memory' as const,
  memoryFiles: { list: async () => [], read: async () => undefined },
  watchingMemory: () => ({ enabled: false, watching: false }),
})
