import { beforeAll, describe, expect, it } from '@jest/globals'
import { FUNCTIONS } from './function-names.ts'
import { printStage, type Service } from './serverless.ts'
import { policyStatements, referencesIn } from './template.ts'

let service: Service
beforeAll(() => {
  service = printStage('prod')
})

const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const roleStatements = (name: string) => policyStatements(service.resources, `${capital(name)}Role`)
const mayTake = (name: string) =>
  roleStatements(name)
    .filter(({ Action }) => Action.includes('sqs:ReceiveMessage'))
    .flatMap(({ Resource }) => referencesIn(Resource))

describe('the roles', () => {
  it('belong to one function each, and every function has its own', () => {
    const used = Object.values(service.functions).map(({ role }) => role)
    expect(Object.keys(service.functions).sort()).toEqual([...FUNCTIONS].sort())
    expect(used.sort()).toEqual(FUNCTIONS.map((name) => `${capital(name)}Role`).sort())
  })

  it.each(FUNCTIONS)('let %s do named things to named resources', (name) => {
    for (const { Effect, Action, Resource } of roleStatements(name)) {
      expect(Effect).toBe('Allow')
      for (const action of Action) expect(action).toMatch(/^(logs|dynamodb|sqs|s3|ssm|kms):[A-Za-z]+$/)
      for (const resource of Resource) {
        expect(resource).not.toBe('*')
        expect(referencesIn(resource).length).toBeGreaterThan(0)
      }
    }
  })

  it.each(FUNCTIONS)('let %s write its own log', (name) => {
    const logs = roleStatements(name).filter(({ Action }) => Action.includes('logs:PutLogEvents'))
    expect(logs.flatMap(({ Resource }) => referencesIn(Resource))).toEqual([`${capital(name)}LogGroup`])
  })

  it.each(FUNCTIONS)(
    'let %s take messages of the queues that feed it, those for runners too where they ask for them, and of no other',
    (name) => {
      const fed = (service.functions[name]?.events ?? []).flatMap(({ sqs }) =>
        sqs ? referencesIn(sqs.arn) : [],
      )
      const asked = name === 'runners' ? ['RunnerQueue', 'RunnerUrgentQueue'] : []
      expect(mayTake(name).sort()).toEqual([...fed, ...asked].sort())
    },
  )

  // That a session or a device was seen is noted with each request.
  it.each(['agents', 'health', 'openapi', 'ui'])(
    'let %s write nothing but its log and who was seen',
    (name) => {
      const writing = roleStatements(name).filter(({ Action }) =>
        Action.some((action) => /:(Put(?!LogEvents)|Update|Delete|Send)/.test(action)),
      )
      const written = writing.flatMap(({ Resource }) => referencesIn(Resource))
      const noted = ['PairingsTable', 'SessionsTable']
      expect(written.filter((table) => !noted.includes(table))).toEqual([])
    },
  )

  it('let the worker, the streaming function, auth, webhooks, runners and those that write comments read secrets, none but the agents look for their names, and no other function anything', () => {
    const allowed = FUNCTIONS.flatMap((name) =>
      roleStatements(name)
        .flatMap(({ Action }) => Action)
        .filter((action) => action.startsWith('ssm:'))
        .map((action) => `${name} ${action}`),
    )
    expect(allowed.sort()).toEqual([
      'agentic ssm:GetParametersByPath',
      'agents ssm:DescribeParameters',
      'auth ssm:GetParametersByPath',
      'dlq ssm:GetParametersByPath',
      'memory ssm:GetParametersByPath',
      'notify ssm:GetParametersByPath',
      'runners ssm:GetParametersByPath',
      'tick ssm:GetParametersByPath',
      'webhooks ssm:GetParametersByPath',
      'worker ssm:GetParametersByPath',
    ])
  })

  it('let the streaming function put copies of exports and abort them, and no role do more to them', () => {
    const allowed = FUNCTIONS.flatMap((name) =>
      roleStatements(name)
        .filter(({ Resource }) => JSON.stringify(Resource).includes('/exports/'))
        .map(({ Action }) => [name, ...Action]),
    )
    expect(allowed).toEqual([['agentic', 's3:PutObject', 's3:AbortMultipartUpload']])
  })

  it.each(['worker', 'auth', 'webhooks'])(
    'let %s read the parameters below its own path, and no others',
    (name) => {
      const { SECRETS_PATH: path } = service.functions[name]?.environment ?? {}
      const paths = roleStatements(name)
        .filter(({ Action }) => Action.includes('ssm:GetParametersByPath'))
        .flatMap(({ Resource }) => Resource.map((resource) => String(Object.values(resource as object)[0])))
        .map((arn) => arn.replace(/^.*:parameter/, ''))
      expect(path).toBe(`/agent-task-service/prod/${name}`)
      expect(paths).toEqual([path, `${path}/*`])
    },
  )

  it('let memory read the parameters of the worker, for the key of the embedding model', () => {
    const { SECRETS_PATH: path } = service.functions.memory?.environment ?? {}
    expect(path).toBe('/agent-task-service/prod/worker')
    expect(JSON.stringify(roleStatements('memory'))).toContain('/worker/*')
  })

  it.each(['notify', 'dlq', 'tick', 'agentic'])(
    'let %s read the parameters of the OAuth apps, with its own if it has any',
    (name) => {
      const { SECRETS_PATH: own, ACCOUNT_SECRETS_PATH: path } = service.functions[name]?.environment ?? {}
      const paths = roleStatements(name)
        .filter(({ Action }) => Action.includes('ssm:GetParametersByPath'))
        .flatMap(({ Resource }) => Resource.map((resource) => String(Object.values(resource as object)[0])))
        .map((arn) => arn.replace(/^.*:parameter/, ''))
      expect(path).toBe('/agent-task-service/prod/auth')
      expect(paths).toEqual([own, path].filter(Boolean).flatMap((one) => [one, `${one}/*`]))
    },
  )
})
