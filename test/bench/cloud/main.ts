import { table } from '../table.ts'
import { bundles } from './bundles.ts'
import { capacity } from './capacity.ts'
import { costs } from './costs.ts'
import { requests } from './requests.ts'

const ROUNDS = 5

/** `npm run bench:cloud`: capacity, requests, bundles, and what a thousand tasks cost by them. */
const rows = [...(await capacity()), ...(await requests()), ...bundles({ rounds: ROUNDS })]
console.log(table(rows))
console.log(`\n${costs(rows)}`)
process.exitCode = rows.every(({ pass }) => pass) ? 0 : 1
