import { table } from '../table.ts'
import { type Bundles, bundleTargets, packBundles } from './bundles.ts'
import { coldStarts } from './cold.ts'
import { costsOfTasks } from './costs.ts'
import { type Deployed, deployedBy } from './deployed.ts'
import { costsOfMonth } from './idle.ts'
import { measureLists } from './lists.ts'
import { lifeTable, lifeTargets, measureLives } from './lives.ts'
import { type Measured, measure } from './measure.ts'
import { operationsOn, PROGRESS, RUN, RUN_WITH_PROGRESS, TICK } from './operations.ts'
import { type Options, readOptions } from './options.ts'
import { coldTable, derived, explanation, operationTable } from './report.ts'
import { countRequests } from './requests.ts'
import { unitsPerSecond } from './standing.ts'
import { capacityTargets, requestTarget } from './targets.ts'
import { openWorld } from './world.ts'

const COLD_ROUNDS = 5

let step = 'the bundles'
/** Says on stderr what is measured next: all of it can take an hour, and has one output at its end. */
const begin = (next: string): void => {
  step = next
  console.error(`bench:cloud: ${step}`)
}

const SIGNALS = { SIGHUP: 1, SIGINT: 2, SIGTERM: 15 }

/** Has an end that comes too early say what was under way, whatever brought it about. */
const tellEarlyEnd = (): void => {
  for (const [signal, number] of Object.entries(SIGNALS))
    process.once(signal, () => {
      console.error(`bench:cloud was told to end by ${signal}`)
      process.exit(128 + number)
    })
  process.once('exit', (code) => {
    if (step !== DONE) console.error(`bench:cloud ended with code ${code} while it measured ${step}`)
  })
}
const DONE = 'nothing more'

/** Everything that is measured; what was started for it is stopped, whatever comes of it. */
const measureAll = async (options: Options, bundles: Bundles, deployed: Deployed) => {
  const bundleRows = bundleTargets(bundles)
  const batchSize = deployed.sources.find(({ queue }) => queue === 'TaskQueue')?.batchSize ?? 1
  begin('requests to SQS')
  const requests = { inTens: await countRequests(10), asDeployed: await countRequests(batchSize), batchSize }
  const world = await openWorld({ bundleFile: bundles.bundleFile })
  try {
    begin('lives of tasks')
    const lives = await measureLives(world)
    begin(`lists of ${options.rows} rows`)
    const lists = await measureLists(world, options.rows)
    begin('operations')
    const measured = await measure(world, operationsOn(world), options.rounds)
    const perSecond = await unitsPerSecond(world)
    begin('cold starts')
    return {
      bundleRows,
      requests,
      lives,
      lists,
      measured,
      perSecond,
      cold: await coldStarts(world, COLD_ROUNDS),
    }
  } finally {
    await world.stop()
  }
}

const finder = (measured: readonly Measured[]) => (name: string) => {
  const found = measured.find((one) => one.name === name)
  if (found === undefined) throw new Error(`${name} was not measured`)
  return found
}

/** The parts of the output, and the rows that decide about the exit code. */
const tell = (
  options: Options,
  deployed: Deployed,
  { bundleRows, requests, lives, lists, measured, perSecond, cold }: Awaited<ReturnType<typeof measureAll>>,
) => {
  const { inTens, asDeployed, batchSize } = requests
  const find = finder(measured)
  const progress = { write: (find(RUN_WITH_PROGRESS).write - find(RUN).write) / PROGRESS }
  const rows = [
    ...lifeTargets(lives),
    ...lists,
    ...capacityTargets(find, options.rows),
    requestTarget(10, inTens),
    ...(batchSize === 10 ? [] : [requestTarget(batchSize, asDeployed)]),
    ...bundleRows,
  ]
  const parts = [
    table(rows),
    lifeTable(lives),
    operationTable(measured, { deployed, tripMs: options.tripMs }),
    explanation(options.tripMs),
    derived(progress, perSecond),
    coldTable(cold),
    costsOfTasks({ deployed, options, find, perSecond, sourceRequests: asDeployed.source }),
    costsOfMonth({ deployed, options, tick: find(TICK) }),
    PRICE_NOTE,
  ]
  return { rows, text: parts.join('\n\n') }
}

const PRICE_NOTE = [
  'Prices: list of 2025 for us-east-1 and arm64, without free tiers (test/bench/cloud/prices.ts). Not counted: data',
  'transfer, stored logs, the image in ECR, objects in S3 and cold starts.',
].join('\n')

/**
 * `npm run bench:cloud`: what mode `pro` takes of AWS, measured with the functions as they are deployed, on emulators;
 * what that costs by the list; and whether it keeps what was promised, or else exit code 1.
 */
const main = async () => {
  const options = readOptions(process.argv.slice(2))
  tellEarlyEnd()
  const bundles = packBundles()
  try {
    const deployed = deployedBy(bundles.template)
    const { rows, text } = tell(options, deployed, await measureAll(options, bundles, deployed))
    begin(DONE)
    console.log(text)
    process.exitCode = rows.every(({ pass }) => pass) ? 0 : 1
  } finally {
    bundles.remove()
  }
}

await main()
