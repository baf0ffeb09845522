import { createLog } from '../adapters/node/log.ts'
import type { agenticRoutes } from '../agentic/contract.ts'
import { agenticHandlers } from '../agentic/handlers.ts'
import type { modelRoutes } from '../chat/contract.ts'
import { modelHandlers } from '../chat/handlers.ts'
import { readConfig } from '../config.ts'
import { Problem } from '../core/errors.ts'
import { createMasker } from '../core/masker.ts'
import type { Handlers } from '../http/route.ts'
import type { AuthContext, AuthPorts } from '../join/auth-context.ts'
import { joinChat } from '../join/chat.ts'
import type { Work, WorkPorts } from '../join/work.ts'
import type { Workspaces } from '../ports/workspace.ts'
import { LONGEST_WAIT_MS } from './cloud-accepting.ts'
import { openAccounts } from './cloud-accounts.ts'
import { openContainer, sweepDisk } from './cloud-container.ts'
import { withSecrets } from './cloud-secrets.ts'

type Served = AuthContext & Pick<Work, 'tasks'> & { ports: AuthPorts & Pick<WorkPorts, 'feed' | 'breakers'> }

type StreamedRoutes = typeof modelRoutes & typeof agenticRoutes

/**
 * What calls models, in the streaming function. Throws Problem `unavailable` `models_unavailable` when no provider is
 * configured, or their settings are wrong.
 */
export const openModelHandlers = async (served: Served): Promise<Handlers<StreamedRoutes>> => {
  const config = await withSecrets(readConfig())
  // The keys of providers are known by now, and are in no line.
  const masker = createMasker(config.secrets)
  const ports = { ...served.ports, masker, log: createLog({ level: config.LOG_LEVEL, masker }) }
  const { clock, log } = ports
  const opened = await openContainer(served, ports, config, () => served.tasks).catch((thrown: unknown) => {
    if (!(thrown instanceof Problem) || thrown.code !== 'bad_setting') throw thrown
    log.error({ reason: thrown.message }, 'models cannot be called')
    throw new Problem('unavailable', 'models_unavailable', 'No model provider is configured')
  })
  const { agents } = opened
  /** The workspace that is opened makes the others go: a turn finds its files in their snapshot as well. */
  const workspaces: Workspaces = {
    ...agents.workspaces,
    open: async (name) => {
      await sweepDisk(config, ports, (other) => other === name || domains.snapshots.isInUse(other))
      return agents.workspaces.open(name)
    },
  }
  const { trackers, access } = openAccounts(served, ports, readConfig())
  const domains = joinChat(
    { ...opened, tasks: served.tasks, access },
    { ...ports, ...agents, workspaces, trackers },
    config,
    LONGEST_WAIT_MS.streaming,
  )
  return { ...modelHandlers({ ...domains, clock }), ...agenticHandlers({ ...domains, clock }) }
}
