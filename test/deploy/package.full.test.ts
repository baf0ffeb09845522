import { readFileSync } from 'node:fs'
import * as path from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals'
import { startCloud } from './cloud.ts'
import { FUNCTIONS, HTTP_FUNCTIONS } from './function-names.ts'
import { addAgent, agentsInPackage } from './packaged-agents.ts'
import { packagedBundles } from './packaged-bundles.ts'
import { packageStage, root } from './serverless.ts'
import { ofType, type Resource, referencesIn, type Template } from './template.ts'
import { unzipBundle, unzipFiles } from './zip.ts'

const IMAGES = ['worker', 'agentic']
const CERTIFICATE = 'arn:aws:acm:us-east-1:123456789012:certificate/1'
const ACL = 'arn:aws:wafv2:us-east-1:123456789012:global/webacl/agents/1'

let stage: ReturnType<typeof packageStage>
let template: Template
let cloud: Awaited<ReturnType<typeof startCloud>>
beforeAll(async () => {
  const params = {
    taskConcurrency: '20',
    notificationConcurrency: '7',
    tracing: 'Active',
    deletionProtection: 'true',
    domain: 'agents.example.com',
    certificateArn: CERTIFICATE,
    webAclArn: ACL,
    memoryExpand: 'on',
  }
  stage = packageStage('prod', { change: addAgent, params })
  template = stage.template
  cloud = await startCloud()
})
afterAll(async () => {
  stage?.remove()
  await cloud?.stop()
})

const all = (type: string) => ofType(template, type)
const properties = (type: string) => all(type).map(([, resource]) => resource.Properties)
const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
const functionResource = (name: string) => template.Resources[`${capital(name)}LambdaFunction`] as Resource

describe('what may be asked for', () => {
  it('is a domain with its certificate, a web ACL, tables that refuse to be deleted, and X-Ray', () => {
    const { Aliases, ViewerCertificate, WebACLId } =
      properties('AWS::CloudFront::Distribution')[0]?.DistributionConfig ?? {}
    const none = { Ref: 'AWS::NoValue' }
    expect(Aliases).toEqual({ 'Fn::If': ['HasDomain', ['agents.example.com'], none] })
    expect(ViewerCertificate).toEqual({
      'Fn::If': ['HasDomain', expect.objectContaining({ AcmCertificateArn: CERTIFICATE }), none],
    })
    expect(WebACLId).toEqual({ 'Fn::If': ['HasWebAcl', ACL, none] })
    expect(Object(template).Conditions).toMatchObject({
      HasDomain: { 'Fn::Not': [{ 'Fn::Equals': ['agents.example.com', ''] }] },
      HasWebAcl: { 'Fn::Not': [{ 'Fn::Equals': [ACL, ''] }] },
      TracingIsActive: { 'Fn::Equals': ['Active', 'Active'] },
    })
    for (const table of properties('AWS::DynamoDB::Table'))
      expect(String(table.DeletionProtectionEnabled)).toBe('true')
    for (const { TracingConfig } of properties('AWS::Lambda::Function'))
      expect(TracingConfig).toEqual({ Mode: 'Active' })
  })

  it('is a model that adds words to questions to memory, which are then asked where models are called', () => {
    const { CacheBehaviors } = properties('AWS::CloudFront::Distribution')[0]?.DistributionConfig ?? {}
    expect(CacheBehaviors).toContainEqual(
      expect.objectContaining({ PathPattern: '/api/memory/search', TargetOriginId: 'streaming' }),
    )
    expect(functionResource('agentic').Properties.Environment.Variables.MEMORY_EXPAND).toBe('on')
  })
})

describe('the access log of the HTTP API', () => {
  it('is JSON, is kept for 30 days, and has the route in place of the path', () => {
    const [stage] = properties('AWS::ApiGatewayV2::Stage')
    const { DestinationArn, Format } = stage?.AccessLogSettings ?? {}
    const [group = ''] = referencesIn(DestinationArn)
    expect(template.Resources[group]).toMatchObject({
      Type: 'AWS::Logs::LogGroup',
      Properties: { RetentionInDays: 30 },
    })
    const line = JSON.parse(Format)
    expect(line).toMatchObject({ awsRequestId: '$context.integration.requestId', route: '$context.routeKey' })
    expect(Object.values(line)).not.toContain('$context.path')
  })
})

describe('a function', () => {
  it('is one of those that the service has', () => {
    const names = all('AWS::Lambda::Function').map(([name]) => name)
    expect(names.sort()).toEqual(FUNCTIONS.map((name) => `${capital(name)}LambdaFunction`).sort())
  })

  it.each(FUNCTIONS)('%s runs on arm64, Node 24 or its own image, under a name of the stage', (name) => {
    const image = { PackageType: 'Image', ImageConfig: { Command: expect.any(Array) } }
    expect(functionResource(name).Properties).toMatchObject({
      FunctionName: `agent-task-service-prod-${name}`,
      Architectures: ['arm64'],
      Environment: {
        Variables: { SERVICE_MODE: 'pro', TABLE_PREFIX: 'agent-task-service-prod-', AUTH_MODE: 'cloud' },
      },
      ...(IMAGES.includes(name) ? image : { Runtime: 'nodejs24.x' }),
    })
  })

  it.each(HTTP_FUNCTIONS.filter((name) => name !== 'ui'))(
    '%s has a bundle of at most 600 kB zipped, without source map',
    (name) => {
      const zip = stage.zip(name)
      expect([...unzipFiles(zip).keys()].filter((file) => !file.startsWith('agents/'))).toEqual([
        `functions/${name}.mjs`,
      ])
      expect(zip.length).toBeLessThanOrEqual(600_000)
      expect(unzipBundle(zip, name).includes('sourceMappingURL')).toBe(false)
    },
  )

  it('ui has the page beside its bundle, each file once and as small as it gets, and is small without it', () => {
    const files = unzipFiles(stage.zip('ui'))
    const page = [...files.keys()].filter((file) => file.startsWith('functions/ui/dist/'))
    expect(page).toContain('functions/ui/dist/index.html.br')
    expect(page.filter((file) => !/\.(br|png)$/.test(file))).toEqual([])
    const rest = [...files.keys()].filter((file) => !file.startsWith('agents/') && !page.includes(file))
    expect(rest).toEqual(['functions/ui/handler.mjs'])
    expect(gzipSync(unzipBundle(stage.zip('ui'), 'ui')).length).toBeLessThanOrEqual(85_000)
  })

  it.each(FUNCTIONS.filter((name) => !IMAGES.includes(name)))('%s has no library of models in it', (name) => {
    const content = unzipBundle(stage.zip(name), name)
    // A name that the library gives to all of its errors, which no minifier may touch.
    expect(content.includes('vercel.ai.error')).toBe(false)
    // That of the page has no names of operations, only their paths.
    const known = ['createTask', 'taskEvents', '/api/tasks/{id}']
    expect(known.some((word) => content.includes(word))).toBe(true)
  })

  it.each(FUNCTIONS.filter((name) => !IMAGES.includes(name)))('%s has no archive in it', (name) => {
    expect(unzipBundle(stage.zip(name), name).includes('archive_unavailable')).toBe(false)
  })

  it('gets no secret through its environment', () => {
    const given = properties('AWS::Lambda::Function').flatMap(({ Environment }) =>
      Object.keys(Environment.Variables),
    )
    // Where secrets are, which key it is that seals them, and what tells that a request came through CloudFront.
    const names = ['SECRETS_PATH', 'ACCOUNT_SECRETS_PATH', 'KMS_KEY_ID', 'ORIGIN_SECRET']
    expect(given.filter((name) => /KEY|SECRET|TOKEN|PASSWORD/.test(name) && !names.includes(name))).toEqual(
      [],
    )
  })
})

describe('the HTTP API', () => {
  it('counts its requests, not those of each route, which have a price', () => {
    const [{ DefaultRouteSettings = {} } = {}] = properties('AWS::ApiGatewayV2::Stage')
    expect(DefaultRouteSettings).toMatchObject({ ThrottlingRateLimit: 500, ThrottlingBurstLimit: 500 })
    expect(DefaultRouteSettings.DetailedMetricsEnabled ?? false).toBe(false)
  })

  it('speaks payload format 2.0 to functions that end before it gives up', () => {
    expect(properties('AWS::ApiGatewayV2::Integration')).toEqual(
      HTTP_FUNCTIONS.map(() => expect.objectContaining({ PayloadFormatVersion: '2.0' })),
    )
    for (const name of HTTP_FUNCTIONS) expect(functionResource(name).Properties.Timeout).toBeLessThan(30)
  })

  it('gives what no route has to the function that has the page, or answers 404', () => {
    expect(template.Resources.HttpApiRouteDefault?.Properties).toMatchObject({
      RouteKey: '$default',
      Target: { 'Fn::Join': ['/', ['integrations', { Ref: 'HttpApiIntegrationUi' }]] },
    })
  })
})

const everyMapping = () => properties('AWS::Lambda::EventSourceMapping')
const isOfStream = ({ StartingPosition }: Resource['Properties']) => StartingPosition !== undefined

describe('the streams', () => {
  it('of every table that has one feed the stream function: from the oldest record, a shard named, what fails halved and handed on', () => {
    const streamed = all('AWS::DynamoDB::Table').filter(
      ([, { Properties }]) => Properties.StreamSpecification,
    )
    const fed = everyMapping().filter(isOfStream)
    expect(fed.map(({ EventSourceArn }) => referencesIn(EventSourceArn)[0]).sort()).toEqual(
      streamed.map(([name]) => name).sort(),
    )
    for (const mapping of fed) {
      expect(referencesIn(mapping.FunctionName)).toEqual(['StreamLambdaFunction'])
      expect(referencesIn(mapping.DestinationConfig)).toEqual(['StreamFailures'])
      expect(mapping).toMatchObject({
        StartingPosition: 'TRIM_HORIZON',
        ParallelizationFactor: 1,
        TumblingWindowInSeconds: 1,
        BisectBatchOnFunctionError: true,
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      })
    }
  })
})

describe('the queues', () => {
  const mappings = () => everyMapping().filter((mapping) => !isOfStream(mapping))
  const consumers = (name: string) =>
    mappings().filter(({ FunctionName }) =>
      referencesIn(FunctionName).includes(`${capital(name)}LambdaFunction`),
    )

  it.each([
    ['worker', ['TaskUrgentQueue', 'TaskQueue'], 1],
    ['notify', ['NotificationQueue'], 10],
    ['dlq', ['TaskDlq', 'NotificationDlq'], 10],
    ['memory', ['MemoryEvents'], 1_000],
  ])('feed %s, which reports what failed and is bounded', (name, queues, batch) => {
    const taken = consumers(name)
    expect(taken.map(({ EventSourceArn }) => referencesIn(EventSourceArn)[0])).toEqual(queues)
    for (const mapping of taken) {
      expect(mapping).toMatchObject({ BatchSize: batch, FunctionResponseTypes: ['ReportBatchItemFailures'] })
      expect(mapping.ScalingConfig.MaximumConcurrency).toBeGreaterThanOrEqual(2)
    }
  })

  it.each([
    ['QUEUE_CONCURRENCY', 'TaskQueue'],
    ['QUEUE_NOTIFICATION_CONCURRENCY', 'NotificationQueue'],
  ])('are bounded as %s says to every function, which is what people are told', (variable, queue) => {
    const [mapping] = mappings().filter(({ EventSourceArn }) => referencesIn(EventSourceArn)[0] === queue)
    const told = FUNCTIONS.map((name) => functionResource(name).Properties.Environment.Variables[variable])
    expect(new Set(told.map(Number))).toEqual(new Set([mapping?.ScalingConfig.MaximumConcurrency]))
  })

  it('are all fed to a function, encrypted, and hide a message for longer than the function may run', () => {
    const fed = mappings().map(({ EventSourceArn }) => referencesIn(EventSourceArn)[0])
    const queues = all('AWS::SQS::Queue').map(([name]) => name)
    // People read what the stream function gave up on, and `runners` takes a message when a runner asks for one.
    const taken = ['RunnerQueue', 'RunnerUrgentQueue']
    expect(queues.sort()).toEqual([...fed, 'StreamFailures', ...taken].sort())
    for (const name of taken) {
      const { VisibilityTimeout, SqsManagedSseEnabled } = template.Resources[name]?.Properties ?? {}
      expect(SqsManagedSseEnabled).toBe(true)
      expect(VisibilityTimeout).toBeGreaterThan(functionResource('runners').Properties.Timeout)
    }
    expect(template.Resources.StreamFailures?.Properties.SqsManagedSseEnabled).toBe(true)
    for (const { EventSourceArn, FunctionName } of mappings()) {
      const [queue = '', consumer = ''] = [EventSourceArn, FunctionName].map((arn) => referencesIn(arn)[0])
      const { VisibilityTimeout, SqsManagedSseEnabled } = template.Resources[queue]?.Properties ?? {}
      expect(SqsManagedSseEnabled).toBe(true)
      expect(VisibilityTimeout).toBeGreaterThanOrEqual(60 + template.Resources[consumer]?.Properties.Timeout)
    }
  })
})

describe('the tick', () => {
  it('comes each minute, ends before the next and is not repeated', () => {
    expect(properties('AWS::Events::Rule')).toMatchObject([
      {
        ScheduleExpression: 'rate(1 minute)',
        State: 'ENABLED',
        Targets: [{ Arn: { 'Fn::GetAtt': ['TickLambdaFunction', 'Arn'] } }],
      },
    ])
    expect(functionResource('tick').Properties.Timeout).toBeLessThan(60)
    expect(template.Resources.TickLambdaEvConf?.Properties).toMatchObject({ MaximumRetryAttempts: 0 })
  })
})

describe('a URL of its own, with the gate of the service in front and none of AWS,', () => {
  const functionUrl = (name: string) => template.Resources[`${capital(name)}LambdaFunctionUrl`]?.Properties

  it('has the streaming function, and streams, and that of webhooks, and no other', () => {
    expect(properties('AWS::Lambda::Url')).toHaveLength(2)
    expect(functionUrl('agentic')).toEqual({
      AuthType: 'NONE',
      InvokeMode: 'RESPONSE_STREAM',
      TargetFunctionArn: { 'Fn::GetAtt': ['AgenticLambdaFunction', 'Arn'] },
    })
    expect(functionUrl('webhooks')).toEqual({
      AuthType: 'NONE',
      TargetFunctionArn: { 'Fn::GetAtt': ['WebhooksLambdaFunction', 'Arn'] },
    })
  })

  it.each(['agentic', 'webhooks'])('may be asked by everybody, of %s, by nothing but the URL', (name) => {
    const open = properties('AWS::Lambda::Permission').filter(
      ({ Principal, FunctionName }) =>
        Principal === '*' && referencesIn(FunctionName)[0] === `${capital(name)}LambdaFunction`,
    )
    expect(open).toMatchObject([
      { Action: 'lambda:InvokeFunctionUrl', FunctionUrlAuthType: 'NONE' },
      { Action: 'lambda:InvokeFunction', InvokedViaFunctionUrl: true },
    ])
  })

  it('is an output like the base URL, and the command that deploys prints those', () => {
    expect(template.Outputs.WebhooksLambdaFunctionUrl).toMatchObject({
      Value: { 'Fn::GetAtt': ['WebhooksLambdaFunctionUrl', 'FunctionUrl'] },
    })
    expect(template.Outputs).toHaveProperty('BaseUrl')
    const { scripts } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'))
    // Without it, only the addresses behind the base URL are shown.
    expect(scripts.deploy).toContain('--verbose')
  })
})

describe('the streaming function', () => {
  it('answers in pieces, the worker in one', () => {
    const variables = (name: string) => functionResource(name).Properties.Environment.Variables
    expect(variables('agentic')).toMatchObject({ AWS_LWA_INVOKE_MODE: 'response_stream' })
    expect(variables('worker')).not.toHaveProperty('AWS_LWA_INVOKE_MODE')
    // Without it an event that was answered 500 would count as done.
    expect(variables('worker')).toMatchObject({ AWS_LWA_ERROR_STATUS_CODES: '500-599' })
  })
})

describe('the template', () => {
  it('refers to nothing that is not in it', () => {
    const known = new Set(Object.keys(template.Resources))
    const unknown = referencesIn(template).filter((name) => !known.has(name) && !name.startsWith('AWS::'))
    expect(unknown).toEqual([])
  })

  it('has a dashboard of valid JSON', () => {
    const [{ DashboardBody }] = properties('AWS::CloudWatch::Dashboard') as [
      { DashboardBody: { 'Fn::Sub': string } },
    ]
    const body = JSON.parse(DashboardBody['Fn::Sub'].replaceAll(/\$\{[^}]+\}/g, 'x'))
    expect(body.widgets.length).toBeGreaterThan(0)
  })
})

const packaged = { stage: () => stage, cloud: () => cloud }
describe('an agent in the folder agents/', () => agentsInPackage(packaged))
describe('packaged bundles, beside nothing but what the runtime has,', () => packagedBundles(packaged))
