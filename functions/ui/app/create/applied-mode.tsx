import type { SecurityMode } from '../../../../lib/core/security-mode.ts'
import { modeMeanings, modeNames } from '../components/mode-words.ts'
import { usePolicy } from '../data/security.ts'

/** The mode in which the task will run, beside the button that creates it. */
export const AppliedMode = ({ chosen }: { chosen: string | undefined }) => {
  const { data } = usePolicy()
  const mode = (chosen || data?.taskMode) as SecurityMode | undefined
  if (mode === undefined) return null
  return (
    <span className="min-w-0 truncate text-xs text-muted-foreground" title={modeMeanings[mode]}>
      Mode: {modeNames[mode]}
      {!chosen && ' (default)'}
    </span>
  )
}
