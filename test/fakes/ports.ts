import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import type { ChatPorts } from '../../lib/chat/service.ts'
import { createMasker } from '../../lib/core/masker.ts'
import type { Ports } from '../../lib/domains.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { peoplePorts } from './people.ts'
import { createScriptedModels } from './scripted-models.ts'

type Fakes = Pick<Ports, 'clock' | 'ids' | 'log'>

/** A model that says the same to all, and no tools. */
const chatPorts = (): ChatPorts => {
  const models = createScriptedModels([{ text: 'Noted.' }])
  const withoutTools = async (): Promise<never> => {
    throw new Error('There are no workspaces here')
  }
  return {
    models,
    loop: createLoop({ models }),
    openTools: () => {
      throw new Error('There are no tools here')
    },
    workspaces: { open: withoutTools },
  }
}

/** The ports of one process beside its storage, its queues in memory and its agents; no wait is drawn by lot. */
export const processPorts = ({ clock, ids, log }: Fakes) => ({
  ...{ clock, ids, log },
  masker: createMasker([]),
  breakers: createBreakers({ clock, isFault: () => true }),
  random: () => 0,
  ...peoplePorts(),
  ...chatPorts(),
  queueMode: 'memory' as const,
  memoryFiles: { list: async () => [], read: async () => undefined },
  watchingMemory: () => ({ enabled: false, watching: false }),
})
