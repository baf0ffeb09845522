import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createTracing } from '../../lib/adapters/node/tracing.ts'
import { createTrackers } from '../../lib/adapters/trackers/catalog.ts'
import type { ConversationPorts } from '../../lib/composition/chat.ts'
import type { Ports } from '../../lib/composition/domains.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { providerApiUrls } from '../../lib/oauth/catalog.ts'
import { createLoop } from '../../lib/tools/loop.ts'
import { peoplePorts } from './people.ts'
import { createScriptedModels } from './scripted-models.ts'

type Fakes = Pick<Ports, 'clock' | 'ids' | 'log'>
type Config = ReturnType<typeof readConfig>

/** A model that says the same to all, and no tools. */
const chatPorts = (): Omit<ConversationPorts, 'trackers'> => {
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
    workspaces: {
      create: withoutTools,
      open: withoutTools,
      pack: withoutTools,
      unpack: withoutTools,
      marked: withoutTools,
      mark: withoutTools,
      remove: async () => undefined,
    },
  }
}

/** The ports of one process beside its storage, its queues in memory and its agents; no wait is drawn by lot. */
export const processPorts = (
  { clock, ids, log }: Fakes,
  config: Pick<Config, 'accounts'> = readConfig({}),
) => ({
  clock,
  ids,
  log,
  masker: createMasker([]),
  tracing: createTracing({ clock }),
  breakers: createBreakers({ clock, isFault: () => true }),
  random: () => 0,
  ...peoplePorts(),
  ...chatPorts(),
  trackers: createTrackers({
    fetch: createProviderFetch(),
    clock,
    apiUrls: providerApiUrls(config.accounts),
  }),
  queueMode: 'memory' as const,
  memoryFiles: { list: async () => [], read: async () => undefined },
  watchingMemory: () => ({ enabled: false, watching: false }),
})
