import type { SecurityMode } from '../../../../lib/core/security-mode.ts'
import { modeMeanings, modeNames } from '../components/mode-words.ts'
import { usePolicy } from '../data/security.ts'

const NAME = 'securityMode'
const modes = Object.entries(modeNames) as [SecurityMode, string][]

/** What the agent may do, chosen beside the button that creates the task. Nothing is sent while the default stays chosen. */
export const ModeSelect = ({
  chosen = '',
  error,
}: {
  chosen?: string | undefined
  error?: string | undefined
}) => {
  const { data } = usePolicy()
  // Sent as it was until the default is known.
  if (data === undefined) return <input type="hidden" name={NAME} value={chosen} />
  const { taskMode } = data
  const mode = modes.find(([name]) => name === chosen)?.[0] ?? taskMode
  return (
    <div className="flex min-w-0 flex-1 items-center justify-end gap-2">
      <span
        className={`min-w-0 truncate text-xs max-sm:hidden ${error ? 'text-destructive' : 'text-muted-foreground'}`}
        title={modeMeanings[mode]}
      >
        {error ?? modeMeanings[mode]}
      </span>
      <select
        key={taskMode}
        name={NAME}
        aria-label="Mode"
        title={modeMeanings[mode]}
        defaultValue={chosen}
        className="h-8 shrink-0 rounded-md border border-input bg-background px-2 font-medium hover:bg-accent"
      >
        {modes.map(([name, label]) => (
          <option key={name} value={name === taskMode && chosen !== name ? '' : name}>
            {label}
          </option>
        ))}
      </select>
    </div>
  )
}
