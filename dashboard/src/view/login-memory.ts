// Whether this browser has given a token: its cookie cannot be read from here, so that it did is noted beside. Only the
// button that logs out depends on it.
const KEY = 'toolscope.loggedIn';

export function writeLoginState(isIn: boolean): void {
  try {
    if (isIn) localStorage.setItem(KEY, 'true');
    else localStorage.removeItem(KEY);
  } catch {
    // Storage is off: the cookie then ends by itself, within a week.
  }
}

export function isLoggedIn(): boolean {
  try {
    return localStorage.getItem(KEY) === 'true';
  } catch {
    return false;
  }
}
