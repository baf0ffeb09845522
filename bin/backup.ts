import { backUp } from '../lib/app/data.ts'
import { readSome } from '../lib/config/config.ts'
import { badSetting } from '../lib/core/bad-setting.ts'
import { errorMessage } from '../lib/core/errors.ts'
import { terminalText } from '../lib/core/terminal-text.ts'

/** `npm run backup -- <folder>`: copies the data folder of a service, which may be running. */
const main = () => {
  const [target, ...more] = process.argv.slice(2)
  if (target === undefined || target === '' || more.length > 0)
    throw badSetting('a folder is missing: npm run backup -- <new folder>')
  const settings = readSome(['SERVICE_MODE', 'DATA_DIR', 'ENCRYPTION_KEY'])
  const { folder, bytes, hasKeyFile } = backUp(settings, target)
  process.stdout.write(
    [
      `Backed up ${settings.DATA_DIR} to ${folder}: ${(bytes / 1_000_000).toFixed(1)} MB, checked.`,
      ...(hasKeyFile ? ['It contains encryption.key. Keep it as safe as the data folder.'] : []),
      ...(settings.ENCRYPTION_KEY ? ['It does not contain ENCRYPTION_KEY. Keep that elsewhere.'] : []),
      'It does not contain workspaces, MEMORY_DIR or environment variables.',
      '',
    ].join('\n'),
  )
}

try {
  main()
} catch (thrown) {
  process.stderr.write(`Cannot back up: ${terminalText(errorMessage(thrown).replace(/\s+/g, ' '))}\n`)
  process.exitCode = 1
}
