import { GetQueueAttributesCommand } from '@aws-sdk/client-sqs'
import { beforeAll, describe, expect, it } from '@jest/globals'
import { openSqs } from '../../lib/adapters/aws/clients.ts'
import { stuckTasks } from '../../lib/app/cloud-jobs.ts'
import { type Look, measured, ringsAt } from './alarm-math.ts'
import { startCloud } from './cloud.ts'
import { loadFunctions } from './functions.ts'
import { printStage, type Service } from './serverless.ts'
import { ofType, type Resource, referencesIn } from './template.ts'

type Properties = Resource['Properties']

let service: Service
beforeAll(() => {
  service = printStage('prod')
})

const all = (type: string) => ofType(service.resources, type)
const alarms = () => all('AWS::CloudWatch::Alarm').map(([, { Properties }]) => Properties)
const alarm = (name: string): Properties => service.resources.Resources[name]?.Properties ?? {}
const capital = (name: string) => `${name.charAt(0).toUpperCase()}${name.slice(1)}`
/** Every metric that an alarm reads, by itself or in an expression. */
const alarmMetrics = (one: Properties): Properties[] =>
  one.Metrics?.flatMap(({ MetricStat }: Properties) => MetricStat?.Metric ?? []) ?? [one]
const watched = (metric: string) =>
  alarms()
    .flatMap(alarmMetrics)
    .filter(({ MetricName }) => MetricName === metric)
    .flatMap(({ Dimensions }) => referencesIn(Dimensions))
    .sort()

describe('the alarms', () => {
  it('notify a recipient', () => {
    expect(alarms().length).toBeGreaterThan(0)
    for (const { AlarmActions, OKActions } of alarms())
      expect([AlarmActions, OKActions]).toEqual([[{ Ref: 'AlarmTopic' }], [{ Ref: 'AlarmTopic' }]])
  })

  it('watch every dead letter queue, the age of every other queue, the errors and throttles of every function', () => {
    // What the bucket reports is found by the tick as well, whose errors are watched.
    // Of a task that waits for a runner its user is told, and the tick repeats its message.
    const unwatched = ['MemoryEvents', 'RunnerQueue', 'RunnerUrgentQueue']
    const queues = all('AWS::SQS::Queue').filter(([name]) => !unwatched.includes(name))
    const named = (found: typeof queues) => found.map(([name]) => name).sort()
    const failures = 'StreamFailures'
    const dead = named(
      queues.filter(([name, { Properties }]) => name !== failures && !Properties.RedrivePolicy),
    )
    const live = named(queues.filter(([, { Properties }]) => Properties.RedrivePolicy))
    expect(watched('NumberOfMessagesDeleted')).toEqual(dead)
    expect(watched('ApproximateNumberOfMessagesNotVisible')).toEqual(dead)
    expect(watched('ApproximateAgeOfOldestMessage')).toEqual(live)
    expect(watched('ApproximateNumberOfMessagesVisible')).toEqual([...dead, ...live, failures].sort())
    const functions = Object.keys(service.functions).map((name) => `${capital(name)}LambdaFunction`)
    expect(watched('Errors')).toEqual(functions.sort())
    expect(watched('Throttles')).toEqual(functions.sort())
  })

  it('watch what a function with a URL answers, which Lambda counts as no error', () => {
    const streaming = Object.entries(service.functions)
      .filter(([, { url }]) => url)
      .map(([name]) => `${capital(name)}LambdaFunction`)
    expect(streaming.length).toBeGreaterThan(0)
    expect(watched('Url5xxCount')).toEqual(streaming.sort())
    expect(watched('UrlRequestCount')).toEqual(streaming.sort())
  })

  it('watch how far the stream function is behind, and what it gave up on', () => {
    expect(watched('IteratorAge')).toEqual(['StreamLambdaFunction'])
    const failures = alarms().filter(({ Dimensions }) => referencesIn(Dimensions).includes('StreamFailures'))
    expect(failures).toMatchObject([{ MetricName: 'ApproximateNumberOfMessagesVisible', Threshold: 0 }])
    // Every mapping hands what it gives up on to that queue, and within the time that records are kept.
    const streams = service.functions.stream?.events ?? []
    expect(streams.length).toBeGreaterThan(0)
    for (const { stream } of streams) expect(referencesIn(stream?.destinations)).toEqual(['StreamFailures'])
  })

  it('hear of stuck tasks by the metric that the tick writes', () => {
    const { TABLE_PREFIX } = service.provider.environment
    const [{ Namespace, Dimensions, Metrics: [{ Name } = { Name: '' }] = [] } = {}] = stuckTasks(
      String(TABLE_PREFIX),
      1,
      0,
    )._aws.CloudWatchMetrics
    // One with dimensions would be another metric.
    expect(Dimensions).toEqual([[]])
    expect(watched(Name)).toEqual([])
    expect(alarms().filter(({ MetricName }) => MetricName === Name)).toMatchObject([
      { Namespace, Threshold: 0 },
    ])
  })
})

describe('an alarm over an expression', () => {
  const computed = () => alarms().filter(({ Metrics }) => Metrics)

  it('is of the form that CloudWatch takes: one value of a few metrics, of one thing and at one pace', () => {
    expect(computed().length).toBeGreaterThan(0)
    for (const { Metrics, ...own } of computed()) {
      const [watches, ...reads]: Properties[] = Metrics
      expect(watches).toEqual({ Id: expect.any(String), Expression: expect.any(String), ReturnData: true })
      for (const { Id, ReturnData, MetricStat } of reads) {
        expect(Id).toMatch(/^[a-z]\w*$/)
        expect(watches?.Expression).toMatch(new RegExp(`\\b${Id}\\b`))
        expect(ReturnData).toBe(false)
        expect(Number(MetricStat.Period) % 60).toBe(0)
      }
      expect(new Set(reads.map(({ MetricStat }) => MetricStat.Period)).size).toBe(1)
      expect(reads.length).toBeLessThanOrEqual(10)
      expect(new Set(reads.flatMap(referencesIn)).size).toBe(1)
      for (const name of ['MetricName', 'Namespace', 'Dimensions', 'Period', 'Statistic'])
        expect(own).not.toHaveProperty(name)
    }
  })

  it('waits for what comes late instead of filling it in, and takes an unused queue for a good one', () => {
    for (const { Metrics, TreatMissingData } of computed()) {
      expect(Metrics[0].Expression).not.toContain('FILL')
      expect(TreatMissingData).toBe('notBreaching')
    }
  })
})

const minutes = (count: number, looks: (minute: number) => readonly Look[]) =>
  Array.from({ length: count }, (_, n) => looks(n + 1))
const lying = (visible: number, hidden: number): Look => ({
  ApproximateNumberOfMessagesVisible: visible,
  ApproximateNumberOfMessagesNotVisible: hidden,
})

describe.each(['Task', 'Notification'])('the alarms of %sDlq', (family) => {
  const heard = (looks: ReturnType<typeof minutes>) => ({
    gaveUp: ringsAt(alarm(`${family}GaveUp`), looks),
    notEmpty: ringsAt(alarm(`${family}DlqNotEmpty`), looks),
  })

  it.each([
    ['is taken in', [[{ ...lying(0, 1), NumberOfMessagesDeleted: 1 }, lying(0, 0)]], { gaveUp: 1 }],
    ['fails, in flight or hidden', minutes(9, () => [lying(0, 1)]), { notEmpty: 5 }],
    ['fails, now visible, now not', minutes(9, (n) => [lying(n % 2, 1 - (n % 2))]), { notEmpty: 5 }],
    ['nobody fetches', minutes(9, () => [{ ApproximateNumberOfMessagesVisible: 1 }]), { notEmpty: 5 }],
    ['never came', minutes(9, () => []), {}],
  ])('say of a message that %s what became of it', (_, looks, expected) => {
    const received = looks.map((minute) => minute.map((look) => ({ ...look, NumberOfMessagesReceived: 1 })))
    expect(heard(received)).toEqual({ gaveUp: undefined, notEmpty: undefined, ...expected })
  })
})

describe('a message that dlq cannot take in', () => {
  it.each([
    ['ai-tasks-dlq', 'TaskDlqNotEmpty'],
    ['ai-task-notifications-dlq', 'NotificationDlqNotEmpty'],
  ])('is in %s by what its alarm counts, though not visible', async (queue, name) => {
    const cloud = await startCloud()
    const functions = loadFunctions(cloud)
    const { env, stop } = await cloud.openEnvironment()
    const sqs = openSqs({ region: env.AWS_REGION, endpoint: env.SQS_ENDPOINT })
    try {
      await cloud.put(queue, 'nonsense')
      expect(await functions.feedInVain('dlq', queue)).toBe(1)
      const QueueUrl = env.TASK_QUEUE_URL.replace(/[^/]+$/, queue)
      const { Attributes = {} } = await sqs.send(
        new GetQueueAttributesCommand({ QueueUrl, AttributeNames: ['All'] }),
      )
      const { ApproximateNumberOfMessages: visible, ApproximateNumberOfMessagesNotVisible: hidden } =
        Attributes
      expect([visible, Attributes.ApproximateNumberOfMessagesDelayed]).toEqual(['0', '0'])
      expect(measured(alarm(name), [lying(Number(visible), Number(hidden))])).toBe(1)
    } finally {
      sqs.destroy()
      stop()
      functions.stop()
      await cloud.stop()
    }
  })
})

describe('StreamFaults', () => {
  const urlRequests = (UrlRequestCount: number, Url5xxCount: number): Look => ({
    UrlRequestCount,
    Url5xxCount,
  })

  it.each([
    ['more than one request in a hundred fails', [[urlRequests(60, 1), urlRequests(39, 0)]], 1],
    ['one in a hundred fails', [[urlRequests(60, 1), urlRequests(40, 0)]], undefined],
    ['none fails, and none is counted', [[{ UrlRequestCount: 1 }]], undefined],
    ['nobody asks', [[]], undefined],
  ])('when %s', (_, looks, expected) => {
    expect(ringsAt(alarm('StreamFaults'), looks)).toBe(expected)
  })
})

describe.each([
  ['TaskUrgentQueueLate', 5, 3],
  ['TaskQueueLate', 20, 5],
  ['NotificationQueueLate', 10, 5],
])('%s', (name, whenNobodyTakes, whenAllAreBusy) => {
  const waiting = (visible: number, ageSeconds: number): Look => ({
    ApproximateNumberOfMessagesVisible: visible,
    ApproximateAgeOfOldestMessage: ageSeconds,
  })
  /** The age of a message that is in work or not due, beyond what any of these alarms allows. */
  const OLD = 1_800

  it.each([
    [whenNobodyTakes, 'nobody takes a message', (n: number) => [waiting(1, n * 60)]],
    [whenAllAreBusy, 'some always wait beside long runs', () => [waiting(2, OLD), waiting(1, OLD)]],
  ])('rings after %i minutes when %s', (expected, _, looks) => {
    expect(ringsAt(alarm(name), minutes(30, looks))).toBe(expected)
  })

  it.each([
    ['nothing waits beside long runs and retries that are not due', () => [waiting(0, OLD)]],
    ['short ones come and go beside a long run', () => [waiting(3, OLD), waiting(0, OLD)]],
    ['some wait in every other minute', (n: number) => [waiting(n % 2, OLD)]],
    ['some always wait, none for long', () => [waiting(9, 60)]],
    ['the queue is not used', () => []],
  ])('is silent when %s', (_, looks) => {
    expect(ringsAt(alarm(name), minutes(30, looks))).toBeUndefined()
  })
})
