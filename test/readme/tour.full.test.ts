import { execFileSync, spawnSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { isOffline, type Service, startService, temporaryFolder } from '../journeys/service.ts'
import { blocks } from './readme.ts'
import { type Command, commandsOfReadme, isAsShown, runCommand, shows } from './tour.ts'

const commands = commandsOfReadme()
/** The work that a command shows is done within some seconds, on emulators within a minute. The limit of a test is longer. */
const TRY_MS = 100
const MOST_TRIES = isOffline ? 600 : 120
const hasCurl = spawnSync('curl', ['--version']).status === 0
if (!hasCurl) console.error('SKIPPED: the commands of the pages were not run, because curl is not installed')

const folder = temporaryFolder()
let service: Service
let withAccounts: Service
beforeAll(async () => {
  // Emulators take files in when they start, so what the reader writes meanwhile is there before.
  const files = blocks('sh').filter(
    (block) => / > [\w/]+\.\w+|cat > /.test(block) && !block.includes('curl '),
  )
  execFileSync('sh', ['-c', files.join('')], { cwd: folder.path })
  service = await startService({ env: { DATA_DIR: folder.in('.data'), MEMORY_DIR: folder.in('memory') } })
  const env = { AUTH_MODE: 'cloud', OUTBOUND_ALLOW_HOSTS: '127.0.0.1', CODEHOST_WEBHOOK_SECRET: 's3cret' }
  withAccounts = await startService({ env: { ...env, DATA_DIR: folder.in('.data-cloud') } })
})
afterAll(async () => {
  await Promise.all([service.stop(), withAccounts.stop()])
  folder[Symbol.dispose]()
})

describe('the banner', () => {
  it('is shown as the service says it when it starts', () => {
    const said = service.output().replaceAll(service.baseUrl, 'http://127.0.0.1:3000')
    const screen = blocks('text').find((block) => block.includes(isOffline ? 'mode pro' : 'mode mini'))
    expect(said.replaceAll(folder.path, '…')).toContain(screen)
  })
})

describe('the commands of README.md and docs/', () => {
  // In their order, on one service, each as a reader would paste it.
  const each = hasCurl ? it.each : it.skip.each
  each(commands.map((command): [string, Command] => [command.text, command]))(
    'are answered as shown: %s',
    async (text, command) => {
      const answered = () => runCommand(command, folder.path, [service.baseUrl, withAccounts.baseUrl])
      let answer = answered()
      // What only reads may be asked again, until the work that it shows is done.
      for (
        let tries = 0;
        tries < MOST_TRIES && !text.includes('-X ') && !isAsShown(command, answer);
        tries += 1
      ) {
        await sleep(TRY_MS)
        answer = answered()
      }
      const shown = { status: command.status ?? 200, body: command.shown }
      expect(answer).toEqual(isAsShown(command, answer) ? answer : shown)
    },
  )
})

describe('the check of the tour', () => {
  it.each([
    ['{"a":1,…"c":3}', true],
    ['…"b":2…', true],
    ['"c":3…"a":1', false],
    ['{"a":2…', false],
  ])('sees whether %s is shown by an answer: %s', (shown, isShown) => {
    expect(shows(shown, '{"a":1,"b":2,"c":3}')).toBe(isShown)
  })
})
