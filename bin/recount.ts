import { recountData } from '../lib/app/recount.ts'
import { readConfig } from '../lib/config/config.ts'
import { errorMessage } from '../lib/core/errors.ts'
import { terminalText } from '../lib/core/terminal-text.ts'

/** `npm run recount`: counts all rows and corrects the counters, of a data folder whose service is stopped, or of a deployment. */
const main = async () => {
  const corrected = await recountData(readConfig())
  for (const { counter, member, add } of corrected)
    process.stdout.write(terminalText(`${counter} ${member}: ${JSON.stringify(add)}\n`))
  process.stdout.write(
    corrected.length === 0 ? 'All counters were correct.\n' : `${corrected.length} corrected.\n`,
  )
}

try {
  await main()
} catch (thrown) {
  process.stderr.write(`Cannot recount: ${terminalText(errorMessage(thrown).replace(/\s+/g, ' '))}\n`)
  process.exitCode = 1
}
