import { createCodeHostLists } from '../../lib/adapters/code-host/lists.ts'
import { createBreakers } from '../../lib/adapters/node/breakers.ts'
import { noWorkspaces } from '../../lib/adapters/node/no-workspaces.ts'
import { createProviderFetch } from '../../lib/adapters/node/provider-fetch.ts'
import { createTracing } from '../../lib/adapters/node/tracing.ts'
import { createTrackers } from '../../lib/adapters/trackers/catalog.ts'
import type { AgentHost, Ports } from '../../lib/composition/ports.ts'
import { readConfig } from '../../lib/config/config.ts'
import { createMasker } from '../../lib/core/masker.ts'
import { providerApiUrls } from '../../lib/oauth/catalog.ts'
import type { AgentAdapter } from '../../lib/ports/agent.ts'
import { peoplePorts } from './people.ts'
import { createScriptedModels } from './scripted-models.ts'

type Fakes = Pick<Ports, 'clock' | 'ids' | 'log'>
type Config = ReturnType<typeof readConfig>

/** Agents, a model that says the same to all, and no workspaces. */
export const fakeHost = (adapters: readonly AgentAdapter[]): AgentHost => {
  const elsewhere = async (): Promise<never> => {
    throw new Error('There are no workspaces here')
  }
  const workspaces = { ...noWorkspaces(elsewhere), remove: async () => undefined }
  return {
    models: createScriptedModels([{ text: 'Noted.' }]),
    openAgents: () => ({ adapters: async () => adapters, workspaces, runProgram: elsewhere }),
  }
}

/** The ports of one process beside its storage and its queues in memory; no wait is drawn by lot. */
export const processPorts = (
  { clock, ids, log }: Fakes,
  config: Pick<Config, 'accounts'> = readConfig({}),
) => ({
  processes: 'one' as const,
  clock,
  ids,
  log,
  masker: createMasker([]),
  tracing: createTracing({ clock }),
  breakers: createBreakers({ clock, isFault: () => true }),
  random: () => 0,
  ...peoplePorts(),
  codeHostLists: createCodeHostLists({
    apiUrl: providerApiUrls(config.accounts).codehost,
    fetch: createProviderFetch(),
  }),
  trackers: createTrackers({
    fetch: createProviderFetch(),
    clock,
    apiUrls: providerApiUrls(config.accounts),
  }),
  memoryFiles: { list: async () => [], read: async () => undefined },
  watchingMemory: () => ({ enabled: false, watching: false }),
})
