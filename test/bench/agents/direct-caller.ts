import { measureCalls } from './calls.ts'

/** The side of the calls that has no broker, in a process of its own, as the agent is: its arguments are the address of the provider and a `CallOrder`. */
const [origin = '', order = '{}'] = process.argv.slice(2)
console.log(
  JSON.stringify(await measureCalls({ ...JSON.parse(order), origin, key: 'direct', side: 'direct' })),
)
process.exit(0)
