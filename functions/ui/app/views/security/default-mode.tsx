import type { SecurityMode } from '../../../../../lib/core/security-mode.ts'
import { SelectField } from '../../components/field.tsx'
import { modeMeanings, modeNames } from '../../components/mode-words.ts'
import { Refusal } from '../../components/refusal.tsx'
import { toast } from '../../components/toast.tsx'
import { Panel } from '../../components/view.tsx'
import { useChangePolicy } from '../../data/security.ts'
import { useChangeSettings, useSettings } from '../../data/settings.ts'

/** The one default of chat and tasks, for admins. Two fields of the API hold it: where they differ, both are named. */
export const DefaultMode = ({ chat, tasks }: { chat: SecurityMode; tasks: SecurityMode }) => {
  const { data } = useSettings()
  const changePolicy = useChangePolicy()
  const changeSettings = useChangeSettings()
  if (!data) return null
  const isFixed = data.sources['tasks.securityMode'] === 'environment'
  const isOne = chat === tasks
  const choose = async (mode: SecurityMode) => {
    if (!isFixed) await changeSettings.mutateAsync({ 'tasks.securityMode': mode })
    await changePolicy.mutateAsync({ defaultMode: mode })
    toast.done('Default mode saved', `${modeNames[mode]}: ${modeMeanings[mode]}`)
  }
  return (
    <Panel title="Default mode of chat and tasks">
      <div className="flex flex-col gap-1 p-3.5">
        <SelectField
          label="Default mode"
          value={isOne ? chat : ''}
          disabled={changePolicy.isPending || changeSettings.isPending}
          onChange={({ target }) => void choose(target.value as SecurityMode).catch(() => undefined)}
          className="max-w-60"
        >
          {!isOne && (
            <option value="" disabled>
              Chat: {modeNames[chat]}, tasks: {modeNames[tasks]}
            </option>
          )}
          {Object.entries(modeNames).map(([mode, name]) => (
            <option key={mode} value={mode}>
              {name}
            </option>
          ))}
        </SelectField>
        <p className="text-xs text-muted-foreground">
          {isOne ? modeMeanings[chat] : 'They differ. Choose one for both.'}
          {isFixed && ` Tasks use “${modeNames[tasks]}”, which is set in the environment of the service.`}
        </p>
        <Refusal error={changeSettings.error ?? changePolicy.error} />
      </div>
    </Panel>
  )
}
