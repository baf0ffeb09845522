import type { Masker } from '../core/masker.ts'
import type { SecurityMode } from '../core/security-mode.ts'
import type { Feed } from '../feed/feed.ts'
import type { Holds } from '../holds/service.ts'
import type { MemoryPorts, Watching } from '../memory/service.ts'
import type { StoredKeys } from '../model-keys/stored-keys.ts'
import type { AgentAdapter, AgentTask, Guidance, RunProgram } from '../ports/agent.ts'
import type { Breakers } from '../ports/breaker.ts'
import type { Cipher } from '../ports/cipher.ts'
import type { Clock } from '../ports/clock.ts'
import type { AccountFor, CodeHostLists } from '../ports/code-host.ts'
import type { Entropy } from '../ports/entropy.ts'
import type { Ids } from '../ports/ids.ts'
import type { LiveWatch } from '../ports/live.ts'
import type { Log } from '../ports/log.ts'
import type { Mailer } from '../ports/mailer.ts'
import type { Models } from '../ports/model.ts'
import type { Outbound } from '../ports/outbound.ts'
import type { Passwords } from '../ports/passwords.ts'
import type { ProviderFetch } from '../ports/provider-fetch.ts'
import type { Consumer, Queue, Receiving } from '../ports/queue.ts'
import type { Repositories } from '../ports/repositories.ts'
import type { Store } from '../ports/store.ts'
import type { RunLoop, Toolbox, ToolSession } from '../ports/tool.ts'
import type { Tracing } from '../ports/tracing.ts'
import type { Trackers } from '../ports/tracker.ts'
import type { WebSearchProviders } from '../ports/web-search.ts'
import type { Workspaces } from '../ports/workspace.ts'
import type { Asked } from '../runners/offers.ts'
import type { RunTask } from '../tasks/schema.ts'
import type { Places } from '../worker/places.ts'

/** What the context of a caller needs. */
export type AuthPorts = {
  /** Whether one process does everything, or many share storage and queues. */
  processes: 'one' | 'many'
  store: Store
  entropy: Entropy
  clock: Clock
  ids: Ids
  log: Log
  masker: Masker
  tracing: Tracing
}

type WorkerState = Pick<Consumer<unknown>, 'running' | 'concurrency'>

/** The outside world as every mode gives it to the domains. Models and agents come from `AgentHost`. */
export type Ports = AuthPorts &
  MemoryPorts & {
    watchingMemory: Watching
    feed: Feed
    /** Made before the domains: models and agents report to it. */
    holds: Holds
    /** Made before the domains: models and agents are opened with them. */
    modelKeys: StoredKeys
    liveWatch: LiveWatch
    /** Publishes the progress of a task to live readers. */
    publishProgress?: (taskId: string) => void
    /** Messages are received from it only where it is in this process. */
    taskQueue: Queue<RunTask> & WorkerState & Partial<Receiving<RunTask>>
    /** Where tasks are counted against the caps in this process alone. */
    places?: Places
    notificationQueue: WorkerState
    /** The queue of tasks, for runners that take one message when they are free; absent where runners get no tasks. */
    runnerQueue: Pick<Receiving<RunTask>, 'receive'> | undefined
    /** Tells which tasks are sent to runners alone; absent where the worker and runners take from one queue. */
    leftToRunners?: () => Promise<(asked: Asked) => boolean>
    breakers: Breakers
    cipher: Cipher
    passwords: Passwords
    random: () => number
    outbound: Outbound
    /** Absent where no mail server is set, and in functions. */
    mailer?: Mailer
    providerFetch: ProviderFetch
    repositories: Pick<Repositories, 'check'>
    codeHostLists: CodeHostLists
    trackers: Trackers
    webSearchProviders: WebSearchProviders
    /** The time after which a proxy gives up a request without a first byte; absent without one. */
    longestWaitMs?: number
    /** The most bytes of a request and of an answer, as `bodyBytes` of runners counts them; absent where there is no such limit. */
    mostBodyBytes?: number
    /** The longest attempt of an agent in a function; absent where agents run in no function. */
    longestAttemptMs?: number
  }

/** What agents need of the domains. */
export type AgentVerbs = {
  models: Models
  loop: RunLoop
  /** The tools of a task's agent. */
  openTools: (session: ToolSession) => Toolbox
  /** The tools that decide about calls which agents make by themselves. */
  openPermissions: (session: ToolSession) => Toolbox
  guide: (task: AgentTask) => Promise<Guidance>
  codeHost: { accountFor: AccountFor; isWanted: () => boolean }
  /** The mode of tasks that set none, as the setting is at their start. */
  securityMode: () => SecurityMode
  isLocalAdmin: (userId: string) => boolean
}

/** The agents of a process, loaded when first needed; the disk on which they and conversations work, and programs there. */
export type Agents = {
  adapters: () => Promise<readonly AgentAdapter[]>
  workspaces: Workspaces
  runProgram: RunProgram
}

/** The models of a process, and its agents, which are opened once the domains that they call are made. */
export type AgentHost = { models: Models; openAgents: (verbs: AgentVerbs) => Agents }
