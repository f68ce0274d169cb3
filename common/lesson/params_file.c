#include "lesson/params_file.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"

/* "prefix/name" in memory of its own. */
static char *full_name(const char *prefix, const char *name) {
    size_t size = strlen(prefix) + strlen(name) + 2;
    char *full = check_alloc(size);
    snprintf(full, size, "%s%s%s", prefix, *prefix ? "/" : "", name);
    return full;
}

bool params_put(SafeTensors *set, const char *prefix, const Params *params) {
    bool ok = true;
    for (ParamEntry *at = NULL; ok && (at = params_next(params, at)) != NULL;) {
        const Tensor *w = param_tensor(at);
        char *name = full_name(prefix, w->name);
        ok = safetensors_put_floats(set, name, w->ndim, w->dim, w->data);
        free(name);
    }
    return ok;
}

static bool same_shape(const Tensor *w, const SafeArray *array) {
    bool same = w->ndim == array->ndim;
    for (int i = 0; same && i < w->ndim; i++) {
        same = (uint64_t)w->dim[i] == array->dim[i];
    }
    return same;
}

static ShapeText shape_of(const Tensor *w) {
    SafeArray array = {.ndim = w->ndim};
    for (int i = 0; i < w->ndim; i++) {
        array.dim[i] = (uint64_t)w->dim[i];
    }
    return safearray_shape(&array);
}

/* Is there an array for this weight, and does it fit? */
static bool check_weight(const SafeTensors *set, const char *where, const char *name,
                         const Tensor *w, Error *error) {
    const SafeArray *array = safetensors_find(set, name);
    if (array == NULL) {
        return error_set(error, "%s: there is no %s in it, which the model has", where, name);
    }
    if (!same_shape(w, array)) {
        return error_set(error, "%s: %s is %s in the file and %s in the model", where, name,
                         safearray_shape(array).text, shape_of(w).text);
    }
    if (strcmp(array->dtype, "F32") != 0) {
        return error_set(error, "%s: %s has numbers of the type %s; needed is F32", where, name,
                         array->dtype);
    }
    return true;
}

/* Has the model each weight that the set has under this prefix? */
static bool check_known(const SafeTensors *set, const char *where, const char *prefix,
                        const Params *params, Error *error) {
    char *begin = full_name(prefix, "");
    size_t length = strlen(begin);
    bool ok = true;
    for (int i = 0; ok && i < set->count; i++) {
        const char *name = set->array[i].name;
        if (strncmp(name, begin, length) == 0 && params_find(params, name + length) == NULL) {
            ok = error_set(error, "%s: there is a %.200s in it, which the model has not", where,
                           name);
        }
    }
    free(begin);
    return ok;
}

bool params_take(const SafeTensors *set, const char *where, const char *prefix, Params *params,
                 Error *error) {
    bool ok = true;
    for (ParamEntry *at = NULL; ok && (at = params_next(params, at)) != NULL;) {
        char *name = full_name(prefix, param_tensor(at)->name);
        ok = check_weight(set, where, name, param_tensor(at), error);
        free(name);
    }
    ok = ok && check_known(set, where, prefix, params, error);
    for (ParamEntry *at = NULL; ok && (at = params_next(params, at)) != NULL;) {
        char *name = full_name(prefix, param_tensor(at)->name);
        ok = safearray_floats(safetensors_find(set, name), param_tensor(at)->data);
        free(name);
    }
    return ok;
}

bool params_save(const char *path, const Params *params, Error *error) {
    SafeTensors set = {0};
    bool ok = params_put(&set, "", params) ? safetensors_write(&set, path, error)
                                           : error_set(error, "%s: not enough memory", path);
    safetensors_free(&set);
    return ok;
}

bool params_load(const char *path, Params *params, Error *error) {
    SafeTensors set;
    bool ok = safetensors_read(path, &set, error);
    if (ok) {
        ok = params_take(&set, path, "", params, error);
        safetensors_free(&set);
    }
    return ok;
}
