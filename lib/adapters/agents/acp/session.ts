import {
  type ClientContext,
  client,
  type InitializeResponse,
  type McpCapabilities,
  type McpServer,
  type NewSessionRequest,
  type PromptResponse,
  RequestError,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionModeState,
} from '@agentclientprotocol/sdk'
import { CONTROLS } from '../../../core/controls.ts'
import { cutText } from '../../../core/cut-text.ts'
import { durationText } from '../../../core/time.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { Program } from '../../node/command.ts'
import { agentFailure } from '../program/failures.ts'
import { createWatchdog, END_MS, SILENCE_MS } from '../program/watchdog.ts'
import { connect } from './connection.ts'
import { readUpdate, type Update } from './updates.ts'

/** After a cancel it has this long, before its processes are ended. */
const CANCEL_MS = 500

type Needs = {
  program: Program
  cwd: string
  /** The prompt; `resumed` tells whether the session is the earlier one. */
  prompt: (resumed: boolean) => string
  clock: Clock
  signal: AbortSignal
  /** A session of an earlier attempt, which goes on where the agent can. */
  earlier?: string | undefined
  /** The way to sign in that the agent is told to use, where it has it: it takes the key from its environment. */
  authMethod?: string | undefined
  /** The mode to set, where the agent has it. */
  mode?: string | undefined
  /** The servers of tools that the agent may use. */
  mcpServers: readonly McpServer[]
  /** Called as soon as the session has an id; `resumed` tells whether it is the earlier one. */
  onSession: (id: string, resumed: boolean) => Promise<void>
  onUpdate: (update: Update) => void
  /** Decides about what the agent asks. A failure that it rejects with ends the turn. */
  decide: (request: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>
}

const CANCELLED: RequestPermissionResponse = { outcome: { outcome: 'cancelled' } }
const APP = { name: 'agent-task-service' }

const MOST_VERSION = 100
const shownVersion = (version: string | undefined): string | undefined =>
  version && cutText(version.split(new RegExp(CONTROLS, 'gu')).join(' ').trim(), MOST_VERSION)

/** The longest id of a session that is kept. */
const MOST_SESSION_ID = 1_000

/** Starts an agent for its handshake alone, and ends it. Resolves to its version; throws as `runTurn` does. */
export const readVersion = async (program: Program, clock: Clock): Promise<string | undefined> => {
  const { start, end } = connect(program, clock, client(APP))
  try {
    return await start(async ({ agentInfo }) => shownVersion(agentInfo?.version))
  } finally {
    await end(0)
  }
}

/**
 * One turn of an agent over the Agent Client Protocol, version 1: handshake, session, prompt. Resolves to the end of the
 * turn once the program has ended with all its processes. Throws a task failure: `agent_start_timeout`, `agent_silent`,
 * `agent_exited`, `agent_missing`, `agent_limit`, `agent_not_signed_in`, `agent_protocol`, `agent_error`; and the signal's
 * reason after an abort, where the agent was told to cancel first.
 */
export const runTurn = async (needs: Needs): Promise<PromptResponse> => {
  const { program, clock, signal } = needs
  const permissions = new AbortController()
  let sessionId: string | undefined
  let isLive = false

  const ask = async (request: RequestPermissionRequest): Promise<RequestPermissionResponse> => {
    if (permissions.signal.aborted) return CANCELLED
    const aborted = Promise.withResolvers<RequestPermissionResponse>()
    permissions.signal.addEventListener('abort', () => aborted.resolve(CANCELLED), { once: true })
    const decided = needs.decide(request, permissions.signal).catch((failure) => {
      fault(failure)
      return CANCELLED
    })
    return silence.hold(() => Promise.race([decided, aborted.promise]))
  }

  const onUpdate = (params: unknown) => {
    const { sessionId: from, update } = readUpdate(params)
    if (!isLive || from !== sessionId) return
    silence.start()
    if (update) needs.onUpdate(update)
  }

  const app = client(APP).onRequest('session/request_permission', ({ params }) => ask(params))
  const { agent, start, during, fault, end } = connect(program, clock, app, onUpdate)
  const silence = createWatchdog(clock, SILENCE_MS, () =>
    fault(agentFailure('agent_silent', `The agent sent nothing for ${durationText(SILENCE_MS)}`)),
  )

  const cancel = () => {
    permissions.abort()
    if (sessionId !== undefined) agent.notify('session/cancel', { sessionId }).catch(() => undefined)
    clock.after(CANCEL_MS, () => fault(signal.reason))
  }
  signal.addEventListener('abort', cancel, { once: true })
  try {
    signal.throwIfAborted()
    const opened = await start((answer) => openSession(agent, answer, needs))
    sessionId = opened.id
    await needs.onSession(opened.id, opened.resumed)
    signal.throwIfAborted()
    isLive = true
    silence.start()
    const prompt = [{ type: 'text' as const, text: needs.prompt(opened.resumed) }]
    return await during(agent.request('session/prompt', { sessionId, prompt }))
  } finally {
    signal.removeEventListener('abort', cancel)
    isLive = false
    permissions.abort()
    silence.rest()
    await end(signal.aborted ? 0 : END_MS)
    signal.throwIfAborted()
  }
}

const openSession = async (
  agent: ClientContext,
  { agentCapabilities, authMethods }: InitializeResponse,
  { cwd, earlier, mode, authMethod, mcpServers }: Needs,
): Promise<{ id: string; resumed: boolean }> => {
  if (authMethod !== undefined && authMethods?.some(({ id }) => id === authMethod))
    await agent.request('authenticate', { methodId: authMethod })
  const setMode = async (sessionId: string, modes: SessionModeState | null | undefined) => {
    if (mode === undefined || !modes || modes.currentModeId === mode) return
    if (modes.availableModes.every(({ id }) => id !== mode))
      throw agentFailure(
        'agent_protocol',
        `The agent does not support its mode ${mode}, which asks for approval`,
        false,
      )
    await agent.request('session/set_mode', { sessionId, modeId: mode })
  }
  const opening: NewSessionRequest = {
    cwd,
    mcpServers: understood(mcpServers, agentCapabilities?.mcpCapabilities),
  }
  if (earlier !== undefined) {
    const resumed = await resume(agent, agentCapabilities, { ...opening, sessionId: earlier })
    // A session that is opened again may begin in the default mode of its agent.
    if (resumed) await setMode(earlier, resumed.modes)
    if (resumed) return { id: earlier, resumed: true }
  }
  const { sessionId, modes } = await agent.request('session/new', opening)
  if (sessionId === '' || sessionId.length > MOST_SESSION_ID) {
    const message = `The agent used a session id of ${sessionId.length} characters. The limit is ${MOST_SESSION_ID}`
    throw agentFailure('agent_protocol', message, false)
  }
  await setMode(sessionId, modes)
  return { id: sessionId, resumed: false }
}

/** The servers that the agent can use; throws for one that it cannot. */
const understood = (
  servers: readonly McpServer[],
  capabilities: McpCapabilities | undefined,
): McpServer[] => {
  const other = servers.find((server) => 'url' in server && !capabilities?.http)
  if (other === undefined) return [...servers]
  const message = `The agent cannot use the MCP server ${other.name}, because it does not support MCP over HTTP`
  throw agentFailure('agent_protocol', message, false)
}

type Capabilities = { loadSession?: boolean; sessionCapabilities?: object | null } | undefined

/** Goes on with a session of an earlier attempt. Undefined where the agent cannot, or no longer has it. */
const resume = async (
  agent: ClientContext,
  capabilities: Capabilities,
  request: { sessionId: string; cwd: string; mcpServers: McpServer[] },
): Promise<{ modes?: SessionModeState | null } | undefined> => {
  try {
    if ('resume' in (capabilities?.sessionCapabilities ?? {}))
      return await agent.request('session/resume', request)
    return capabilities?.loadSession ? await agent.request('session/load', request) : undefined
  } catch (thrown) {
    if (thrown instanceof RequestError) return undefined
    throw thrown
  }
}
