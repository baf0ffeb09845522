import { SlidersHorizontal } from 'lucide-react'
import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { Button } from '../../components/button.tsx'
import { CheckField } from '../../components/check-field.tsx'
import { SelectField, TextField } from '../../components/field.tsx'
import { modeMeanings, modeNames } from '../../components/mode-words.ts'
import { useNarrow } from '../../components/narrow.ts'
import { Popover } from '../../components/popover.tsx'
import { efforts } from '../../data/at-build.ts'
import { useModelProviders, useModels } from '../../data/chat.ts'
import { usePolicy } from '../../data/security.ts'
import { type Options, options } from './draft.ts'

const select =
  'h-7 min-w-0 max-w-44 truncate rounded-md max-sm:max-w-32 border border-input bg-background px-1.5 text-xs text-muted-foreground hover:text-foreground'

const change = (part: Partial<Options>) => options.set({ ...options.get(), ...part })

type Props = { options: Options }

export const TurnOptions = ({ options: { mode, model, ...limits } }: Props) => {
  const { data: policy } = usePolicy()
  const { data: models = [] } = useModels()
  const { data: providers } = useModelProviders()
  // On a phone there is no room for it.
  const marked = useNarrow() ? '' : ' (default)'
  return (
    <>
      <select
        aria-label="Mode"
        title={mode && modeMeanings[mode]}
        value={mode ?? ''}
        onChange={({ target }) => change({ mode: target.value as SecurityMode })}
        className={select}
      >
        {mode === undefined && <option value="">Default mode</option>}
        {Object.entries(modeNames).map(([name, label]) => (
          <option key={name} value={name}>
            {name === policy?.policy.defaultMode ? `${label}${marked}` : label}
          </option>
        ))}
      </select>
      <select
        aria-label="Model"
        value={model}
        onChange={({ target }) => change({ model: target.value })}
        className={select}
      >
        <option value="">{providers ? `${providers.default}${marked}` : 'Default model'}</option>
        {models.map(({ id, provider, name }) => (
          <option key={`${provider}/${id}`} value={`${provider}/${id}`}>
            {provider}/{name}
          </option>
        ))}
      </select>
      {mode === 'full' && <More {...limits} />}
    </>
  )
}

/** Options of agentic turns. */
const More = ({ effort, maxSteps, maxBudget, showThinking }: Omit<Options, 'mode' | 'model'>) => (
  <Popover
    label="Limits"
    side="top"
    trigger={
      <Button kind="ghost" size="small" aria-label={`Limits: ${effort}`} title="Effort, steps and tokens">
        <SlidersHorizontal size={14} /> <span className="text-xs max-sm:sr-only">{effort}</span>
      </Button>
    }
  >
    <div className="flex flex-col gap-3 p-3">
      <SelectField
        label="Effort"
        value={effort}
        onChange={({ target }) => change({ effort: target.value as Options['effort'] })}
      >
        {efforts.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </SelectField>
      <TextField
        label="Maximum steps"
        inputMode="numeric"
        placeholder="set by effort"
        hint="1 to 200"
        value={maxSteps}
        onChange={({ target }) => change({ maxSteps: target.value })}
      />
      <TextField
        label="Maximum tokens"
        inputMode="numeric"
        placeholder="no limit"
        hint="At least 1,000. No step starts beyond it"
        value={maxBudget}
        onChange={({ target }) => change({ maxBudget: target.value })}
      />
      <CheckField
        label="Show thinking, if the model provides it"
        isChecked={showThinking}
        onChange={() => change({ showThinking: !showThinking })}
      />
    </div>
  </Popover>
)
