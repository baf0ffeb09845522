import { runInNewContext } from 'node:vm'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { MEMORY_PREFIX } from '../../lib/adapters/aws/s3-memory.ts'
import { LONGEST_WAIT_MS } from '../../lib/app/cloud.ts'
import { LONGEST_SEND_MS } from '../../lib/deliveries/send.ts'
import { printStage, type Service } from './serverless.ts'
import { ofType, referencesIn, type Template } from './template.ts'

let service: Service
let template: Template
beforeAll(() => {
  service = printStage('prod')
  template = service.resources
})

const all = (type: string) => ofType(template, type)
const properties = (type: string) => all(type).map(([, resource]) => resource.Properties)
const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`

/** Outlives the stack, and is no relic of a deployment that failed; a replacement takes no such policy. */
const KEPT = { DeletionPolicy: 'RetainExceptOnCreate', UpdateReplacePolicy: 'Retain' }

/** Where the distribution sends this follows from an option. */
const SEARCH = '/api/memory/search'

type Distribution = {
  Origins: {
    Id: string
    DomainName: unknown
    CustomOriginConfig: { OriginProtocolPolicy: string; OriginReadTimeout?: number }
  }[]
  DefaultCacheBehavior: Record<string, unknown>
  CacheBehaviors: { PathPattern: string; TargetOriginId: string; [name: string]: unknown }[]
  CustomErrorResponses: unknown
}

/** The errors that CloudFront can be told how long to keep; some of them it keeps for 10 s when it is not told. */
const KEPT_UNLESS_TOLD = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504]

describe('the distribution', () => {
  it('is the base URL: streams to the function URL, all else to the HTTP API, nothing cached but the page’s own files, TLS only', () => {
    const config: Distribution = properties('AWS::CloudFront::Distribution')[0]?.DistributionConfig
    const { Origins, DefaultCacheBehavior, CacheBehaviors, CustomErrorResponses } = config
    const origins = Object.fromEntries(Origins.map(({ Id, DomainName }) => [Id, referencesIn(DomainName)]))
    expect(origins['http-api']).toContain('HttpApi')
    expect(origins.streaming).toEqual(['AgenticLambdaFunctionUrl'])
    expect(
      Origins.every(({ CustomOriginConfig }) => CustomOriginConfig.OriginProtocolPolicy === 'https-only'),
    ).toBe(true)
    expect(DefaultCacheBehavior.TargetOriginId).toBe('http-api')
    const [kept, ...streamed] = CacheBehaviors.toReversed()
    for (const behavior of [DefaultCacheBehavior, ...streamed]) {
      expect(behavior).toMatchObject({
        ViewerProtocolPolicy: 'https-only',
        CachePolicyId: '4135ea2d-6df8-44a3-9df3-4b5a84be39ad',
        OriginRequestPolicyId: 'b689b0a8-53d0-40ab-baf2-68738e2966ac',
      })
    }
    // By its code alone: a page or a status of its own would be an answer in another form.
    expect(CustomErrorResponses).toEqual(
      KEPT_UNLESS_TOLD.map((ErrorCode) => ({ ErrorCode, ErrorCachingMinTTL: 0 })),
    )
    const notStreamed = streamed.filter(({ TargetOriginId }) => TargetOriginId !== 'streaming')
    expect(notStreamed.map(({ PathPattern, TargetOriginId }) => [PathPattern, TargetOriginId])).toEqual([
      [SEARCH, 'http-api'],
    ])
    // Files of the page whose names change with them; CachingOptimized keeps each encoding apart.
    expect(kept).toMatchObject({
      PathPattern: '/assets/*',
      TargetOriginId: 'http-api',
      ViewerProtocolPolicy: 'https-only',
      CachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',
      Compress: true,
    })
    expect(referencesIn(template.Outputs.BaseUrl)).toEqual(['Distribution'])
  })

  it('waits longer for an answer than a request waits for a task or for a model', () => {
    const [config] = properties('AWS::CloudFront::Distribution') as { DistributionConfig: Distribution }[]
    const patience = config?.DistributionConfig.Origins.find(({ Id }) => Id === 'streaming')
    const { OriginReadTimeout = 0 } = patience?.CustomOriginConfig ?? {}
    expect(LONGEST_WAIT_MS.streaming).toBeLessThan(OriginReadTimeout * 1_000)
    // More is not to be had.
    expect(OriginReadTimeout).toBeLessThanOrEqual(120)
    expect(LONGEST_WAIT_MS.function).toBeLessThan(service.provider.timeout * 1_000)
  })

  it('says which host was asked for, on every way to the service', () => {
    const [name, forward] = all('AWS::CloudFront::Function')[0] ?? []
    const [config] = properties('AWS::CloudFront::Distribution') as { DistributionConfig: Distribution }[]
    const { DefaultCacheBehavior, CacheBehaviors = [] } = config?.DistributionConfig ?? {}
    for (const behavior of [DefaultCacheBehavior, ...CacheBehaviors])
      expect(behavior?.FunctionAssociations).toEqual([
        {
          EventType: 'viewer-request',
          FunctionARN: { 'Fn::GetAtt': [name, 'FunctionMetadata.FunctionARN'] },
        },
      ])
    expect(forward?.Properties.AutoPublish).toBe(true)
    const handler = runInNewContext(`${forward?.Properties.FunctionCode}; handler`)
    const headers = { host: { value: 'agents.example.com' }, 'x-forwarded-host': { value: 'evil.example' } }
    expect(handler({ request: { headers } }).headers['x-forwarded-host'].value).toBe('agents.example.com')
  })
})

describe('the key of secrets', () => {
  const statements = () => {
    const [{ KeyPolicy } = {}] = properties('AWS::KMS::Key')
    return KeyPolicy.Statement as { Action: string[]; Principal: object; Condition?: object }[]
  }
  const opens = ['kms:GenerateDataKey', 'kms:Decrypt']

  it('is one, changes every year, and outlives the stack', () => {
    expect(all('AWS::KMS::Key')).toEqual([
      [
        'SecretsKey',
        expect.objectContaining({
          ...KEPT,
          Properties: expect.objectContaining({ EnableKeyRotation: true }),
        }),
      ],
    ])
    expect(service.provider.environment.KMS_KEY_ID).toEqual({ Ref: 'SecretsKey' })
  })

  it('opens data keys of this service, for those in its account whose role says so', () => {
    const using = statements().filter(({ Action }) => Action.some((action) => opens.includes(action)))
    expect(using).toEqual([
      expect.objectContaining({
        Action: opens,
        Condition: { StringEquals: { 'kms:EncryptionContext:service': 'agent-task-service' } },
      }),
    ])
  })

  it('is administered, by the account alone, with rights that read nothing', () => {
    for (const { Action, Principal } of statements()) {
      // biome-ignore lint/suspicious/noTemplateCurlyInString: variables of CloudFormation.
      expect(Principal).toEqual({ AWS: { 'Fn::Sub': 'arn:${AWS::Partition}:iam::${AWS::AccountId}:root' } })
      for (const action of Action) expect(action).not.toMatch(/\*|Encrypt|CreateGrant|Sign/)
    }
  })
})

describe('what is kept', () => {
  it('is in tables on demand, recoverable, encrypted, and outlives the stack', () => {
    const tables = all('AWS::DynamoDB::Table')
    expect(tables.length).toBeGreaterThan(0)
    for (const [, table] of tables) {
      expect(table).toMatchObject(KEPT)
      expect(table.Properties).toMatchObject({
        BillingMode: 'PAY_PER_REQUEST',
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        SSESpecification: { SSEEnabled: true },
      })
    }
  })

  it('is in a bucket that is private, encrypted and spoken to over TLS only', () => {
    expect(template.Resources.FilesBucket).toMatchObject({
      ...KEPT,
      Properties: {
        BucketEncryption: {
          ServerSideEncryptionConfiguration: [{ ServerSideEncryptionByDefault: { SSEAlgorithm: 'AES256' } }],
        },
        PublicAccessBlockConfiguration: {
          BlockPublicAcls: true,
          BlockPublicPolicy: true,
          IgnorePublicAcls: true,
          RestrictPublicBuckets: true,
        },
      },
    })
    expect(template.Resources.FilesBucketPolicy?.Properties.PolicyDocument.Statement).toMatchObject([
      { Effect: 'Deny', Principal: '*', Condition: { Bool: { 'aws:SecureTransport': false } } },
    ])
  })

  it('is reported, where it is a file of memory, to a queue that takes messages of buckets of this account alone', () => {
    const bucket = template.Resources.FilesBucket
    const changes = bucket?.Properties.NotificationConfiguration.QueueConfigurations
    expect(
      changes.map(({ Event, Queue, Filter }: Record<string, never>) => [Event, referencesIn(Queue), Filter]),
    ).toEqual(
      ['s3:ObjectCreated:*', 's3:ObjectRemoved:*'].map((event) => [
        event,
        ['MemoryEvents'],
        { S3Key: { Rules: [{ Name: 'prefix', Value: MEMORY_PREFIX }] } },
      ]),
    )
    // S3 tries the queue as soon as it is named.
    expect(bucket).toMatchObject({ DependsOn: ['MemoryEventsPolicy'] })
    expect(template.Resources.MemoryEventsPolicy?.Properties).toMatchObject({
      Queues: [{ Ref: 'MemoryEvents' }],
      PolicyDocument: {
        Statement: [
          {
            Principal: { Service: 's3.amazonaws.com' },
            Action: 'sqs:SendMessage',
            Resource: { 'Fn::GetAtt': ['MemoryEvents', 'Arn'] },
            Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } },
          },
        ],
      },
    })
  })

  it('keeps copies of exports for 30 days, unfinished uploads for one, and all but texts of rows until it is removed', () => {
    const { Rules } = template.Resources.FilesBucket?.Properties.LifecycleConfiguration ?? {}
    expect(Rules.filter(({ Prefix }: { Prefix?: string }) => !Prefix?.startsWith('rows/'))).toEqual([
      {
        Id: 'earlier-versions',
        Status: 'Enabled',
        ExpiredObjectDeleteMarker: true,
        NoncurrentVersionExpiration: { NoncurrentDays: 35 },
      },
      {
        Id: 'unfinished-uploads',
        Status: 'Enabled',
        AbortIncompleteMultipartUpload: { DaysAfterInitiation: 1 },
      },
      { Id: 'old-exports', Status: 'Enabled', Prefix: 'exports/', ExpirationInDays: 30 },
    ])
  })
})

describe('what is an option', () => {
  it('is off unless asked for, but for versions of files', () => {
    const protectedTables = properties('AWS::DynamoDB::Table').map((table) => table.DeletionProtectionEnabled)
    expect(new Set(protectedTables)).toEqual(new Set([false]))
    expect(template.Resources.FilesBucket?.Properties.VersioningConfiguration).toEqual({ Status: 'Enabled' })
    expect(service.provider.environment.OTEL_EXPORTER_OTLP_ENDPOINT).toBe('')
  })

  it('gives every role the rights of X-Ray where that is active, and no other right', () => {
    const policy = template.Resources.TracingPolicy
    expect(policy).toMatchObject({ Condition: 'TracingIsActive' })
    expect(policy?.Properties.Roles.flatMap(referencesIn).sort()).toEqual(
      all('AWS::IAM::Role')
        .map(([name]) => name)
        .sort(),
    )
    expect(policy?.Properties.PolicyDocument.Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['xray:PutTraceSegments', 'xray:PutTelemetryRecords'],
        Resource: '*',
      },
    ])
  })
})

describe('what has a name that is one for the whole account', () => {
  it('has the region in it, so that a stage can be in two', () => {
    const names = [
      ...properties('AWS::CloudFront::Function').map(({ Name }) => Name),
      ...properties('AWS::CloudWatch::Dashboard').map(({ DashboardName }) => DashboardName),
    ]
    expect(names.length).toBe(2)
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a variable of CloudFormation.
    for (const name of names) expect(name?.['Fn::Sub']).toContain('agent-task-service-prod-${AWS::Region}')
  })
})

describe('the functions that send deliveries', () => {
  it.each(['notify', 'dlq', 'tick'])('%s may run for longer than a send takes, after all else', (name) => {
    expect(Number(service.functions[name]?.timeout) * 1_000).toBeGreaterThanOrEqual(2 * LONGEST_SEND_MS)
  })
})

type Shown = { id?: string; expression?: string }
type Dashboard = { widgets: { properties: { title: string; metrics: (string | Shown)[][] } }[] }

describe('the dashboard', () => {
  const widgets = () => {
    const [{ DashboardBody } = {}] = properties('AWS::CloudWatch::Dashboard')
    return (JSON.parse(DashboardBody['Fn::Sub']) as Dashboard).widgets
  }

  it('shows the errors of every function, and requests and times of all that requests come to', () => {
    const shownFunctions = (metric: string): string[] => {
      const { metrics = [] } =
        widgets().find((one) => one.properties.metrics[0]?.[1] === metric)?.properties ?? {}
      return metrics.map((line) => /\w+/.exec(String(line.at(-1)))?.[0] ?? '').sort()
    }
    const logical = ([name]: [string, unknown]) => `${capital(name)}LambdaFunction`
    const functions = Object.entries(service.functions)
    const asked = functions.filter(([, { events = [], url }]) => url || events.some(({ httpApi }) => httpApi))
    expect(shownFunctions('Errors')).toEqual(functions.map(logical).sort())
    expect(shownFunctions('Invocations')).toEqual(asked.map(logical).sort())
    expect(shownFunctions('Duration')).toEqual(asked.map(logical).sort())
  })

  it('shows how many requests each function with a URL had, and how many of them it answered 5xx', () => {
    const { metrics = [] } =
      widgets().find(({ properties: { title } }) => title === 'Requests')?.properties ?? {}
    const named = (line: unknown[]) => line.find((part) => String(part).endsWith('LambdaFunction}'))
    const at = metrics
      .map((line, n) => ({ of: named(line), line, next: metrics[n + 1] }))
      .filter(({ of }) => of)
    const withUrl = Object.entries(service.functions).filter(([, { url }]) => url)
    expect(at.map(({ of }) => of).sort()).toEqual(
      // biome-ignore lint/style/useTemplate: `${` would begin a variable.
      withUrl.map(([name]) => '${' + `${capital(name)}LambdaFunction}`).sort(),
    )
    for (const { line, next } of at) {
      expect(line[1]).toBe('UrlRequestCount')
      expect(next?.slice(0, 4)).toEqual(['.', 'Url5xxCount', '.', '.'])
    }
  })

  it('counts what lies in a dead letter queue whether it is visible or not', () => {
    const metrics = widgets().find((one) => one.properties.title === 'Given up by a queue')?.properties
      .metrics
    const ids = new Map<string, string>()
    let before: string[] = []
    for (const line of metrics ?? []) {
      const [texts, shown] = [line.filter((part) => typeof part === 'string'), line.at(-1) as Shown]
      before = texts.map((part, n) => (part === '.' ? (before[n] ?? '') : part))
      ids.set(shown.id ?? '', `${before[1]} ${/\w+/.exec(before[3] ?? '')?.[0]}`)
    }
    const sums = (metrics ?? []).flatMap(([first]) => (first as Shown).expression ?? [])
    expect(sums.map((sum) => sum.split(' + ').map((id) => ids.get(id)))).toEqual(
      ['TaskDlq', 'NotificationDlq'].map((queue) => [
        `ApproximateNumberOfMessagesVisible ${queue}`,
        `ApproximateNumberOfMessagesNotVisible ${queue}`,
      ]),
    )
  })
})
