// What belongs to the reader: theme and time zone, kept in this browser, and the way out where a token was given.
import { useState } from 'react';
import { logout } from '../api/ask.ts';
import { formatExactTime, formatZone, type Zone } from '../format/format-time.ts';
import { isLoggedIn, rememberLogin } from '../view/login-memory.ts';
import { THEMES, type Theme, usePreferences, writePreference, ZONES } from '../view/preferences.ts';
import { useNow } from '../view/use-now.ts';

const THEME_WORDS: Readonly<Record<Theme, string>> = {
  system: 'As the system',
  light: 'Light',
  dark: 'Dark',
};

export function SettingsPage() {
  const { theme, zone } = usePreferences();
  const nowMs = useNow();
  const zoneWords: Readonly<Record<Zone, string>> = {
    utc: 'UTC',
    local: `This browser’s (${formatZone(nowMs, 'local')})`,
  };
  return (
    <div className="page settings">
      <h1>Settings</h1>
      <p className="muted">These are kept in this browser and change nothing for others.</p>
      <Choice
        legend="Theme"
        choices={THEMES}
        chosen={theme}
        words={THEME_WORDS}
        onChoose={(next) => writePreference({ theme: next })}
      />
      <Choice
        legend="Time zone"
        choices={ZONES}
        chosen={zone}
        words={zoneWords}
        onChoose={(next) => writePreference({ zone: next })}
      />
      <p className="muted">It is now {formatExactTime(nowMs, zone).replace(/\.\d+/, '')}.</p>
      {isLoggedIn() ? <Logout /> : null}
    </div>
  );
}

function Logout() {
  const [problem, setProblem] = useState<string>();
  async function leave(): Promise<void> {
    try {
      await logout();
      rememberLogin(false);
      // Nothing that was read with the token stays in the page; its first question is refused, which shows the login.
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

interface ChoiceProps<T extends string> {
  readonly legend: string;
  readonly choices: readonly T[];
  readonly chosen: T;
  readonly words: Readonly<Record<T, string>>;
  readonly onChoose: (choice: T) => void;
}

function Choice<T extends string>({ legend, choices, chosen, words, onChoose }: ChoiceProps<T>) {
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
            {words[choice]}
          </button>
        ))}
      </div>
    </fieldset>
  );
}
