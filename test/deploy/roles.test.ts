import { beforeAll, describe, expect, it } from '@jest/globals'
import { printStage, type Service } from './serverless.ts'
import { referencesIn, statementsOf } from './template.ts'

const FUNCTIONS = [
  ...['tasks', 'queue', 'agents', 'notifications', 'health', 'openapi'],
  ...['worker', 'notify', 'dlq', 'tick', 'agentic'],
]

let service: Service
beforeAll(() => {
  service = printStage('prod')
}, 60_000)

const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const roleOf = (name: string) => statementsOf(service.resources, `${capital(name)}Role`)
const mayTake = (name: string) =>
  roleOf(name)
    .filter(({ Action }) => Action.includes('sqs:ReceiveMessage'))
    .flatMap(({ Resource }) => referencesIn(Resource))

describe('the roles', () => {
  it('belong to one function each, and every function has its own', () => {
    const used = Object.values(service.functions).map(({ role }) => role)
    expect(Object.keys(service.functions).sort()).toEqual([...FUNCTIONS].sort())
    expect(used.sort()).toEqual(FUNCTIONS.map((name) => `${capital(name)}Role`).sort())
  })

  it.each(FUNCTIONS)('let %s do named things to named resources', (name) => {
    for (const { Effect, Action, Resource } of roleOf(name)) {
      expect(Effect).toBe('Allow')
      for (const action of Action) expect(action).toMatch(/^(logs|dynamodb|sqs|s3|ssm):[A-Za-z]+$/)
      for (const resource of Resource) {
        expect(resource).not.toBe('*')
        expect(referencesIn(resource).length).toBeGreaterThan(0)
      }
    }
  })

  it.each(FUNCTIONS)('let %s write its own log', (name) => {
    const logs = roleOf(name).filter(({ Action }) => Action.includes('logs:PutLogEvents'))
    expect(logs.flatMap(({ Resource }) => referencesIn(Resource))).toEqual([`${capital(name)}LogGroup`])
  })

  it.each(FUNCTIONS)('let %s take messages of the queues that feed it, and of no other', (name) => {
    const fed = (service.functions[name]?.events ?? []).flatMap(({ sqs }) =>
      sqs ? referencesIn(sqs.arn) : [],
    )
    expect(mayTake(name).sort()).toEqual(fed.sort())
  })

  it.each(['agents', 'health', 'agentic'])('let %s read, not write', (name) => {
    const actions = roleOf(name).flatMap(({ Action }) => Action)
    expect(actions.filter((action) => /:(Put(?!LogEvents)|Update|Delete|Send)/.test(action))).toEqual([])
  })

  it('let only the worker read the keys of model providers', () => {
    const readers = FUNCTIONS.filter((name) =>
      roleOf(name).some(({ Action }) => Action.some((action) => action.startsWith('ssm:'))),
    )
    expect(readers).toEqual(['worker'])
  })
})
