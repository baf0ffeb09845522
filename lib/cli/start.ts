import { setTimeout as sleep } from 'node:timers/promises'
import { openInBrowser } from './browser.ts'
import type { Environment } from './credentials.ts'
import { EXIT } from './exit-codes.ts'
import { connectTo, isCutOff, type Service } from './service.ts'
import type { Terminal } from './terminal.ts'

const LOOK_MS = 250

/** Starts the service as npm start does. Resolves to its exit code at its end. */
export type StartService = (settings: { port: string }) => Promise<number>

type Needs = { env: Environment; terminal: Terminal; startService: StartService }

const isRunning = async ({ client }: Service): Promise<boolean> => {
  try {
    await client.health()
    return true
  } catch (error) {
    if (isCutOff(error)) return false
    throw error
  }
}

const showPage = async (url: string, { env, terminal }: Needs): Promise<void> => {
  const isOpen = await openInBrowser(url, env)
  terminal.say(isOpen ? `Opening ${url}` : `The page: ${url}`)
}

/** Resolves to true when the service answers; to false when the signal aborts before. */
const answers = async (service: Service, signal: AbortSignal): Promise<boolean> => {
  while (!signal.aborted) {
    if (await isRunning(service)) return true
    await sleep(LOOK_MS, undefined, { signal }).catch(() => undefined)
  }
  return false
}

/** Opens the page of the service. Starts one where none runs, unless AGENT_TASKS_URL names another; resolves at its end. */
export const startAndOpen = async (needs: Needs): Promise<number> => {
  const { env, terminal, startService } = needs
  const port = env.PORT || '3000'
  const service = connectTo(
    env.AGENT_TASKS_URL ? env : { ...env, AGENT_TASKS_URL: `http://127.0.0.1:${port}` },
  )
  if (env.AGENT_TASKS_URL) await service.client.health()
  if (await isRunning(service)) {
    await showPage(service.url, needs)
    return EXIT.done
  }
  terminal.say(`Starting the service at ${service.url}. Press Ctrl-C to stop it.`)
  const ended = new AbortController()
  const shown = answers(service, ended.signal).then((isUp) =>
    isUp ? showPage(service.url, needs) : undefined,
  )
  try {
    return await startService({ port })
  } finally {
    ended.abort()
    await shown.catch(() => undefined)
  }
}
