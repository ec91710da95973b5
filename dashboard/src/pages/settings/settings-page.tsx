// The reader's settings: theme and time zone, stored in this browser, and the logout button after a login.
import { useState } from 'react';
import { logout } from '../../api/fetch-resource.ts';
import { formatExactTime, formatZone, type Zone } from '../../format/format-time.ts';
import { isLoggedIn, writeLoginState } from '../../view/login-memory.ts';
import { THEMES, type Theme, usePreferences, writePreference, ZONES } from '../../view/preferences.ts';
import { useNow } from '../../view/use-now.ts';

const THEME_LABELS: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

export function SettingsPage() {
  const { theme, zone } = usePreferences();
  const nowMs = useNow();
  const zoneLabels: Readonly<Record<Zone, string>> = {
    utc: 'UTC',
    local: `This browser’s (${formatZone(nowMs, 'local')})`,
  };
  return (
    <div className="page settings">
      <h1>Settings</h1>
      <p className="muted">These are kept in this browser and change nothing for others.</p>
      <PreferenceChoice
        legend="Theme"
        choices={THEMES}
        chosen={theme}
        labels={THEME_LABELS}
        onChoose={(next) => writePreference({ theme: next })}
      />
      <PreferenceChoice
        legend="Time zone"
        choices={ZONES}
        chosen={zone}
        labels={zoneLabels}
        onChoose={(next) => writePreference({ zone: next })}
      />
      <p className="muted">It is now {formatExactTime(nowMs, zone).replace(/\.\d+/, '')}.</p>
      {isLoggedIn() ? <LogoutSection /> : null}
    </div>
  );
}

function LogoutSection() {
  const [problem, setProblem] = useState<string>();
  async function leave(): Promise<void> {
    try {
      await logout();
      writeLoginState(false);
      // Discards all data that was read with the token; the first query is then rejected and shows the login.
      window.location.reload();
    } catch (error) {
      setProblem(error instanceof Error ? error.message : 'The service does not answer.');
    }
  }
  return (
    <section aria-labelledby="access" className="access">
      <h2 id="access">Access</h2>
      <p className="muted">This browser has given the token of the service, and may read for a week.</p>
      <button type="button" className="button" onClick={() => void leave()}>
        Log out
      </button>
      {problem ? (
        <p className="problem" role="alert">
          {problem}
        </p>
      ) : null}
    </section>
  );
}

interface PreferenceChoiceProps<T extends string> {
  readonly legend: string;
  readonly choices: readonly T[];
  readonly chosen: T;
  readonly labels: Readonly<Record<T, string>>;
  readonly onChoose: (choice: T) => void;
}

function PreferenceChoice<T extends string>({
  legend,
  choices,
  chosen,
  labels,
  onChoose,
}: PreferenceChoiceProps<T>) {
  return (
    <fieldset className="choice">
      <legend>{legend}</legend>
      <div className="segments">
        {choices.map((choice) => (
          <button
            key={choice}
            type="button"
            aria-pressed={choice === chosen}
            onClick={() => onChoose(choice)}
          >
            {labels[choice]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
