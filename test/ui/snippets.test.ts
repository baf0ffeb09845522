import { execFileSync } from 'node:child_process'
import { describe, expect, it } from '@jest/globals'
import { languages } from '../../functions/ui/app/views/docs/languages.ts'
import { callSnippet, callUrl } from '../../functions/ui/app/views/docs/snippets.ts'
import { routes } from '../../lib/api/routes.ts'
import { parseCommandLine } from '../../lib/cli/command.ts'
import { commands } from '../../lib/cli/main.ts'
import { exampleCall } from '../api/example-call.ts'

const ORIGIN = 'http://127.0.0.1:3000'
const shellWords = (command: string): string[] =>
  execFileSync(
    'sh',
    ['-c', `show() { printf '%s\\0' "$@"; }; ${command.replace(/^(?:npx agent-tasks|curl)/, 'show')}`],
    { encoding: 'utf8' },
  )
    .split('\0')
    .slice(0, -1)

describe('the calls that the docs show', () => {
  it.each(Object.keys(routes))('of %s are taken by the command line', (name) => {
    const [command = '', ...args] = shellWords(callSnippet('cli', exampleCall(name), ORIGIN))
    const found = commands.find((each) => each.name === command)
    expect(found && parseCommandLine(found, args)).toBeDefined()
    if (command === 'api') expect(args[0]).toBe(name)
  })

  it('quote what a shell would read otherwise', () => {
    const body = JSON.stringify({ title: `It's $HOME`, prompt: 'a\nb `c`' })
    const call = exampleCall('createTask', { body, headers: {} })
    expect(shellWords(callSnippet('curl', call, ORIGIN))).toEqual([
      ...['-s', '-X', 'POST', `${ORIGIN}/api/tasks`, '-H', 'content-type: application/json', '-d', body],
    ])
    expect(shellWords(callSnippet('cli', call, ORIGIN))).toEqual(['run', 'a\nb `c`', '--title', `It's $HOME`])
  })

  it.each([
    [{ title: 'x', description: 'y' }, 'api createTask'],
    [{ title: 'x', repository: 'a/b', labels: ['c'] }, 'run x --repo a/b --label c'],
  ])('of a task are a run where that has an option for all of it: %j', (body, expected) => {
    expect(callSnippet('cli', exampleCall('createTask', { body: JSON.stringify(body) }), ORIGIN)).toContain(
      expected,
    )
  })

  it.each(['', '{', 'null', '[]', '{"title": "x", "labels": null}', '{"title": "x", "toString": 1}'])(
    'show a body as it is being typed: %j',
    (body) => {
      const [command, name, ...args] = shellWords(
        callSnippet('cli', exampleCall('createTask', { body, headers: {} }), ORIGIN),
      )
      expect([command, name]).toEqual(['api', 'createTask'])
      expect(args).toEqual(['--body', body])
    },
  )

  it('have the token where one is needed, and the address where it is another', () => {
    const call = exampleCall('getTask', { needsSession: true })
    const elsewhere = 'https://tasks.example.com'
    expect(callSnippet('curl', call, elsewhere)).toContain('-H "authorization: Bearer $TOKEN"')
    expect(callSnippet('typescript', call, elsewhere)).toContain(
      `baseUrl: "${elsewhere}", token: process.env.TOKEN`,
    )
    expect(callSnippet('cli', call, elsewhere)).toMatch(/^AGENT_TASKS_URL=https:\/\/tasks\.example\.com npx/)
  })

  it('encode what stands in a path and a query', () => {
    const call = exampleCall('listMemoryChunks', { params: { path: 'a/b c.md' }, query: { q: 'x&y' } })
    expect(callUrl(call)).toBe('/api/memory/files/a%2Fb%20c.md/chunks?q=x%26y')
    expect(Object.keys(languages)).toEqual(['curl', 'typescript', 'cli'])
  })
})
