import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { SelectField } from '../../components/field.tsx'
import { modeMeanings, modeNames } from '../../components/mode-words.ts'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useChangePolicy } from '../../data/security.ts'
import { useChangeSettings, useSettings } from '../../data/settings.ts'

type Props = { chat: SecurityMode; tasks: SecurityMode }

/** For admins: what applies where a conversation or a task names no mode. The policy has one, the settings the other. */
export const DefaultModes = ({ chat, tasks }: Props) => {
  const { data } = useSettings()
  const policy = useChangePolicy()
  const settings = useChangeSettings()
  if (!data) return null
  const isFixed = data.sources['tasks.securityMode'] === 'environment'
  const saved = (label: string, mode: SecurityMode) => () =>
    void toast.done(`${label}: ${modeNames[mode]}`, modeMeanings[mode])
  return (
    <Panel title="Default modes">
      <div className="grid gap-x-4 gap-y-3 p-3.5 sm:grid-cols-2">
        <DefaultMode
          label="Chat"
          mode={chat}
          isDisabled={policy.isPending}
          onChoose={(defaultMode) =>
            policy.mutate({ defaultMode }, { onSuccess: saved('Default mode of chat', defaultMode) })
          }
        />
        <DefaultMode
          label="Tasks"
          mode={tasks}
          isDisabled={isFixed || settings.isPending}
          note={isFixed ? 'Set by TASK_SECURITY_MODE in the environment.' : undefined}
          onChoose={(mode) =>
            settings.mutate(
              { 'tasks.securityMode': mode },
              { onSuccess: saved('Default mode of tasks', mode) },
            )
          }
        />
        <Refusal error={settings.error ?? policy.error} />
      </div>
    </Panel>
  )
}

type ModeProps = {
  label: string
  mode: SecurityMode
  isDisabled: boolean
  note?: string | undefined
  onChoose: (mode: SecurityMode) => void
}

const DefaultMode = ({ label, mode, isDisabled, note, onChoose }: ModeProps) => (
  <div className="flex min-w-0 flex-col gap-1">
    <div className="flex">
      <SelectField
        label={label}
        value={mode}
        disabled={isDisabled}
        onChange={({ target }) => onChoose(target.value as SecurityMode)}
      >
        {Object.entries(modeNames).map(([name, text]) => (
          <option key={name} value={name}>
            {text}
          </option>
        ))}
      </SelectField>
    </div>
    <p className="text-xs text-muted-foreground">
      {modeMeanings[mode]} {note}
    </p>
  </div>
)
